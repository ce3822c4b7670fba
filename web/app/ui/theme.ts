import { css } from 'lit';

/** Colours and sizes as custom properties of the app's root, for light and dark schemes. */
export const theme = css`
  :host {
    color-scheme: light dark;
    --bg: light-dark(#fbfaf8, #16161a);
    --surface: light-dark(#ffffff, #1e1e24);
    --sunken: light-dark(#f2f0ec, #111114);
    --line: light-dark(#e3dfd8, #33333c);
    --text: light-dark(#1d1c1a, #ececf0);
    --soft: light-dark(#65615a, #a2a2ae);
    --accent: light-dark(#5b3fd6, #a594ff);
    --on-accent: light-dark(#ffffff, #17132b);
    --accent-wash: light-dark(#efebff, #28233f);
    --good: light-dark(#176f3d, #6bd598);
    --bad: light-dark(#b3261e, #ff9087);
    --bad-wash: light-dark(#fdecea, #3a1f1e);
    --radius: 12px;
    --mono: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, monospace;
    font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif;
    font-size: 16px;
    line-height: 1.55;
    color: var(--text);
  }
`;

/** Styles of headings, controls and boxes that all elements share. */
export const controls = css`
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
  p {
    margin: 0 0 0.75rem;
    text-wrap: pretty;
  }
  .soft {
    color: var(--soft);
  }
  .small {
    font-size: 0.85rem;
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
  button,
  input,
  select,
  textarea {
    font: inherit;
    color: inherit;
  }
  button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 0.4rem;
    min-height: 2.25rem;
    padding: 0.25rem 0.9rem;
    border: 1px solid var(--line);
    border-radius: 999px;
    background: var(--surface);
    cursor: pointer;
    font-size: 0.9rem;
    white-space: nowrap;
  }
  button:hover:not(:disabled) {
    border-color: var(--soft);
  }
  button:disabled {
    opacity: 0.5;
    cursor: default;
  }
  button.primary {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
    font-weight: 550;
  }
  button.primary:hover:not(:disabled) {
    filter: brightness(1.08);
    border-color: transparent;
  }
  button.plain {
    border-color: transparent;
    background: transparent;
    color: var(--soft);
    padding: 0.2rem 0.6rem;
    min-height: 1.9rem;
  }
  button.plain:hover:not(:disabled) {
    color: var(--text);
    background: var(--sunken);
    border-color: transparent;
  }
  input[type='text'] {
    flex: 1;
    min-width: 0;
    min-height: 2.5rem;
    padding: 0.3rem 0.9rem;
    border: 1px solid var(--line);
    border-radius: 999px;
    background: var(--surface);
  }
  input::placeholder,
  textarea::placeholder {
    color: var(--soft);
    opacity: 1;
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
  .notice {
    background: var(--accent-wash);
    border-radius: var(--radius);
    padding: 0.7rem 1rem;
    font-size: 0.9rem;
  }
  .error {
    background: var(--bad-wash);
    color: var(--bad);
    border-radius: var(--radius);
    padding: 0.7rem 1rem;
    font-size: 0.9rem;
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
