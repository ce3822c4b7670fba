import { css } from 'lit';

/** Styles of all workflow screens: fields, badges, menus and tables. */
export const workflowStyles = css`
  input[type='text'],
  input[type='number'],
  input[type='password'],
  input[type='search'],
  select,
  textarea {
    width: 100%;
    min-width: 0;
    min-height: 2.35rem;
    padding: 0.35rem 0.7rem;
    border: 1px solid var(--line);
    border-radius: 9px;
    background: var(--surface);
    color: var(--text);
    font-size: 0.92rem;
  }
  textarea {
    display: block;
    resize: vertical;
    line-height: 1.45;
    field-sizing: content;
    max-height: 24rem;
  }
  .mono {
    font-family: var(--mono);
    font-size: 0.82rem;
  }
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
  .error {
    margin: 0.75rem 0;
  }
  .notice {
    margin: 0.75rem 0;
  }
  .error ul,
  .notice ul {
    margin: 0.3rem 0 0;
    padding-left: 1.1rem;
  }
  button.small {
    min-height: 1.9rem;
    padding: 0.1rem 0.7rem;
    font-size: 0.82rem;
  }
  button.danger {
    color: var(--bad);
  }
  details.menu {
    position: relative;
  }
  details.menu > summary {
    list-style: none;
    display: inline-flex;
    align-items: center;
    justify-content: center;
    width: 2.25rem;
    height: 2.25rem;
    border-radius: 999px;
    cursor: pointer;
    color: var(--soft);
  }
  details.menu > summary::-webkit-details-marker {
    display: none;
  }
  details.menu > summary:hover,
  details.menu[open] > summary {
    background: var(--sunken);
    color: var(--text);
  }
  details.menu > div {
    position: absolute;
    right: 0;
    z-index: 5;
    display: grid;
    min-width: 10rem;
    padding: 0.35rem;
    background: var(--surface);
    border: 1px solid var(--line);
    border-radius: var(--radius);
    box-shadow: 0 8px 28px rgb(0 0 0 / 0.14);
  }
  details.menu > div button {
    justify-content: flex-start;
    border-color: transparent;
    background: transparent;
    border-radius: 8px;
  }
  details.menu > div button:hover {
    background: var(--sunken);
    border-color: transparent;
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
    width: min(44rem, calc(100vw - 2rem));
    max-height: calc(100dvh - 3rem);
    padding: 1.25rem;
    border: 1px solid var(--line);
    border-radius: 16px;
    background: var(--bg);
    color: var(--text);
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 0.4);
  }
  table {
    width: 100%;
    border-collapse: collapse;
    font-size: 0.88rem;
  }
  th {
    text-align: left;
    font-weight: 550;
    color: var(--soft);
    font-size: 0.8rem;
  }
  th,
  td {
    padding: 0.45rem 0.6rem;
    border-bottom: 1px solid var(--line);
    vertical-align: top;
  }
  th:first-child,
  td:first-child {
    padding-left: 0;
  }
`;
