import { css } from 'lit';
import { menuStyles } from '../ui/menu.ts';

/** Styles of all workflow screens: heads, badges, tabs, and `tiles`, lists of buttons with a description. */
export const workflowStyles = css`
  ${menuStyles}
  a {
    color: var(--accent);
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
  }
  .head h1,
  .head h2 {
    margin: 0;
  }
  .grow {
    flex: 1;
  }
  .back {
    display: inline-block;
    margin-bottom: 0.4rem;
    font-size: 0.85rem;
    color: var(--soft);
    text-decoration: none;
  }
  .back:hover {
    color: var(--text);
  }
  .tiles button {
    display: grid;
    justify-content: start;
    justify-items: start;
    align-content: start;
    width: 100%;
    height: 100%;
    text-align: left;
    white-space: normal;
  }
  .tiles span {
    font-weight: 400;
    line-height: 1.4;
    color: var(--soft);
  }
  .badge {
    display: inline-flex;
    align-items: center;
    gap: 0.4rem;
    padding: 0.05rem 0.6rem;
    border-radius: 999px;
    background: var(--sunken);
    color: var(--soft);
    font-size: 0.78rem;
    font-weight: 550;
    white-space: nowrap;
  }
  .badge::before {
    content: '';
    width: 0.45rem;
    height: 0.45rem;
    border-radius: 50%;
    background: currentColor;
  }
  .badge.good {
    color: var(--good);
  }
  .badge.bad {
    color: var(--bad);
    background: var(--bad-wash);
  }
  .badge.live {
    color: var(--accent);
    background: var(--accent-wash);
  }
  .error,
  .notice {
    margin: 0.75rem 0;
  }
  .error ul,
  .notice ul {
    margin: 0.3rem 0 0;
    padding-left: 1.1rem;
    list-style: disc;
  }
  .tabs {
    display: flex;
    gap: 1.25rem;
    border-bottom: 1px solid var(--line);
    margin: 1rem 0 1.25rem;
  }
  .tabs a {
    padding: 0.4rem 0;
    margin-bottom: -1px;
    color: var(--soft);
    text-decoration: none;
    font-size: 0.92rem;
    border-bottom: 2px solid transparent;
  }
  .tabs a:hover {
    color: var(--text);
  }
  .tabs a[aria-current] {
    color: var(--text);
    font-weight: 600;
    border-bottom-color: var(--accent);
  }
  dialog {
    --width: 44rem;
    width: 100%;
    max-height: calc(100dvh - 3rem);
    padding: 1.25rem;
    background: var(--bg);
  }
`;
