import { css } from 'lit';

/** What the tables of the API page share; each says what its cells keep free. */
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
