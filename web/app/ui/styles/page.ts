import { css } from 'lit';

/** Headings, text and boxes of a view. */
export const page = css`
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  /* Headings take the focus after navigation, for screen readers. The ring marks controls only. */
  h1:focus-visible {
    outline: none;
  }
  h1 {
    font-size: var(--text-xl);
    font-weight: 650;
    letter-spacing: -0.015em;
    margin: 0 0 0.25rem;
    line-height: 1.25;
    text-wrap: balance;
  }
  h2 {
    font-size: 0.95rem;
    font-weight: 600;
    margin: 2rem 0 0.6rem;
  }
  h3 {
    font-size: 0.85rem;
    font-weight: 550;
    color: var(--soft);
    margin: 1.25rem 0 0.4rem;
  }
  p {
    margin: 0 0 0.75rem;
    text-wrap: pretty;
  }
  a {
    color: var(--accent);
    text-underline-offset: 0.15em;
  }
  summary {
    display: flex;
    align-items: center;
    gap: 0.45rem;
    width: fit-content;
    cursor: pointer;
    font-size: var(--text-md);
    color: var(--soft);
    list-style: none;
    border-radius: var(--radius-sm);
  }
  summary::-webkit-details-marker {
    display: none;
  }
  summary::before {
    content: '';
    width: 0.4rem;
    height: 0.4rem;
    margin: 0 0.15rem;
    border: solid currentColor;
    border-width: 0 1.5px 1.5px 0;
    rotate: -45deg;
    transition: rotate var(--motion);
  }
  details[open] > summary::before {
    rotate: 45deg;
  }
  summary:hover {
    color: var(--text);
  }
  .soft {
    color: var(--soft);
  }
  .small {
    font-size: var(--text-sm);
  }
  .mono {
    font-family: var(--mono);
    font-size: 0.83rem;
  }
  .num {
    font-variant-numeric: tabular-nums;
  }
  .view {
    width: 100%;
    max-width: 46rem;
    margin: 0 auto;
    padding: 2rem 1.25rem 4rem;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  .card {
    background: var(--surface);
    border: 1px solid var(--line);
    border-radius: var(--radius);
    padding: 1rem 1.1rem;
    box-shadow: var(--shadow-sm);
  }
  .notice,
  .error {
    border-radius: var(--radius);
    padding: 0.7rem 1rem;
    font-size: 0.9rem;
  }
  .notice {
    background: var(--accent-wash);
  }
  .error {
    background: var(--bad-wash);
    color: var(--bad);
    overflow-wrap: anywhere;
  }
  pre {
    margin: 0;
    padding: 0.9rem 1rem;
    overflow-x: auto;
    background: var(--sunken);
    border-radius: 10px;
    font: 0.83rem/1.55 var(--mono);
    tab-size: 2;
  }
  .visually-hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  progress {
    appearance: none;
    width: 100%;
    height: 6px;
    border: 0;
    border-radius: 3px;
    background: var(--sunken);
    overflow: hidden;
    accent-color: var(--accent);
  }
  progress::-webkit-progress-bar {
    background: var(--sunken);
  }
  progress::-webkit-progress-value {
    border-radius: 3px;
    background: var(--accent);
    transition: width var(--motion);
  }
  progress::-moz-progress-bar {
    border-radius: 3px;
    background: var(--accent);
  }
  progress:indeterminate {
    background: linear-gradient(90deg, var(--sunken) 25%, var(--accent) 50%, var(--sunken) 75%) 0 / 200% 100%;
    animation: slide 1.4s linear infinite;
  }
  progress:indeterminate::-webkit-progress-bar {
    background: transparent;
  }
  progress:indeterminate::-moz-progress-bar {
    background: transparent;
  }
  @keyframes slide {
    from {
      background-position: 100% 0;
    }
    to {
      background-position: -100% 0;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    * {
      animation: none !important;
      transition: none !important;
    }
  }
`;

/** A view that fills its container and scrolls. */
export const scrolled = css`
  :host {
    display: block;
    height: 100%;
    overflow-y: auto;
  }
`;
