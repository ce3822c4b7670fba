import { css } from 'lit';

/** Styles of all tables of the API view. Each table sets its own padding. */
export const tableStyles = css`
  table {
    width: 100%;
    border-collapse: collapse;
    font-size: 0.85rem;
  }
  th {
    text-align: left;
    font-weight: 550;
    color: var(--soft);
  }
  th,
  td {
    border-bottom: 1px solid var(--line);
  }
`;
