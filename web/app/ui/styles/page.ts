import { css } from 'lit';

/** Headings, text and boxes of a view. */
export const page = css`
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  h1 {
    font-size: 1.5rem;
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
  summary {
    cursor: pointer;
    font-size: 0.9rem;
    color: var(--soft);
  }
  .soft {
    color: var(--soft);
  }
  .small {
    font-size: 0.85rem;
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
