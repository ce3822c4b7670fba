import { css } from 'lit';

/** Colors and sizes as custom properties of the app's root, for light and dark schemes. */
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
    accent-color: var(--accent);
    font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif;
    font-size: 16px;
    line-height: 1.55;
    color: var(--text);
  }
`;
