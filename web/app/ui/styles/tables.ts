import { css } from 'lit';

/** Tables with a line below each row. */
export const tables = css`
  table {
    width: 100%;
    border-collapse: collapse;
    font-size: 0.87rem;
  }
  th {
    font-size: 0.82rem;
    font-weight: 550;
    color: var(--soft);
    text-align: left;
  }
  th,
  td {
    padding: 0.35rem 0.75rem 0.35rem 0;
    border-bottom: 1px solid var(--line);
    vertical-align: baseline;
  }
`;
