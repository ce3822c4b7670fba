import { css } from 'lit';

/**
 * The tokens of the app's look as custom properties of its root: colors for light and dark schemes, sizes of type,
 * corners, shadows and motion. The document's root chooses the scheme (`ui/color-scheme.ts`).
 */
export const theme = css`
  :host {
    --bg: light-dark(#fbfaf8, #16161a);
    --surface: light-dark(#ffffff, #1e1e24);
    --raised: light-dark(#ffffff, #25252c);
    --sunken: light-dark(#f2f0ec, #111114);
    --line: light-dark(#e3dfd8, #33333c);
    --text: light-dark(#1d1c1a, #ececf0);
    --soft: light-dark(#65615a, #a2a2ae);
    --accent: light-dark(#5b3fd6, #a594ff);
    --on-accent: light-dark(#ffffff, #17132b);
    --accent-wash: light-dark(#efebff, #28233f);
    --good: light-dark(#176f3d, #6bd598);
    --good-wash: light-dark(#e3f4e9, #1b3325);
    --bad: light-dark(#b3261e, #ff9087);
    --bad-wash: light-dark(#fdecea, #3a1f1e);

    --text-xs: 0.75rem;
    --text-sm: 0.8125rem;
    --text-md: 0.875rem;
    --text-base: 1rem;
    --text-lg: 1.125rem;
    --text-xl: 1.5rem;

    --radius-sm: 8px;
    --radius: 12px;
    --radius-lg: 16px;
    --radius-full: 999px;

    --shadow-sm: 0 1px 2px light-dark(rgb(40 30 10 / 0.07), rgb(0 0 0 / 0.4));
    --shadow-md: 0 6px 24px light-dark(rgb(40 30 10 / 0.12), rgb(0 0 0 / 0.5));

    --motion: 150ms cubic-bezier(0.2, 0, 0, 1);

    --mono: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, monospace;
    accent-color: var(--accent);
    font-family: 'Inter', system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif;
    font-size: 16px;
    line-height: 1.55;
    color: var(--text);
  }
`;
