import { css } from 'lit';

export const outlineStyles = css`
  :host {
    display: block;
    height: 100%;
    overflow-y: auto;
  }
  ol,
  tabd-graph-groups {
    max-width: 46rem;
    margin: 0 auto;
    padding: 1rem 1rem 0;
  }
  ol {
    display: grid;
    gap: 0.75rem;
    padding-bottom: 5rem;
  }

  li {
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--surface);
  }
  li.selected {
    border-color: var(--accent);
    box-shadow: 0 0 0 1px var(--accent);
  }
  li.bad {
    border-color: var(--bad);
  }
  li.running {
    border-color: var(--good);
    box-shadow: 0 0 0 1px var(--good);
  }
  .top {
    display: flex;
    align-items: center;
    gap: 0.6rem;
    padding: 0.5rem 0.75rem;
  }
  h3 {
    flex: 1;
    min-width: 0;
    margin: 0;
    font-size: 0.95rem;
    font-weight: 600;
    color: var(--text);
  }
  button.fold {
    width: 100%;
    justify-content: flex-start;
    color: var(--text);
    overflow: hidden;
  }
  .fold::before {
    content: '▸' / '';
    color: var(--soft);
  }
  .fold[aria-expanded='true']::before {
    content: '▾' / '';
  }
  .fold span {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .fold small {
    color: var(--soft);
    font-weight: 400;
  }
  .body {
    display: grid;
    gap: 0.7rem;
    padding: 0.25rem 1rem 1rem;
  }
  .input {
    display: grid;
    grid-template-columns: minmax(7rem, 11rem) minmax(0, 1fr);
    gap: 0.2rem 0.75rem;
    align-items: center;
  }
  .input > span {
    font-size: 0.87rem;
    color: var(--soft);
  }
  .input.wrong > span {
    color: var(--bad);
  }
  .value {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    min-width: 0;
  }
  .value input[type='text'],
  .value select,
  .value textarea {
    flex: 1 1 8rem;
    width: 8rem;
  }
  .value textarea {
    flex-basis: 100%;
    min-height: 4.5rem;
  }
  .value select.after,
  .value select.source {
    flex: 0 1 9rem;
  }
  .value select.source.whole {
    flex: 1 1 8rem;
  }
  .value .upload {
    display: grid;
    place-items: center;
    width: 2.4rem;
    height: 2.4rem;
    border: 1px solid var(--line);
    border-radius: 9px;
    cursor: pointer;
  }
  .value .upload:focus-within {
    outline: 2px solid var(--accent);
  }
  .problem {
    grid-column: 2;
    margin: 0;
    color: var(--bad);
    font-size: 0.83rem;
  }
  .buttons {
    gap: 0;
    margin: 0 -0.6rem -0.4rem;
  }
  .tag {
    flex: none;
    font-size: 0.78rem;
    color: var(--soft);
  }
  .tag.failed {
    color: var(--bad);
  }
  .tag.running,
  .tag.done {
    color: var(--good);
  }
  .results {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  .results img,
  .results video {
    max-width: min(16rem, 100%);
    border-radius: 8px;
    background: var(--sunken);
  }
  progress {
    width: 100%;
    height: 6px;
    accent-color: var(--good);
  }
  .empty {
    padding: 4rem 1.5rem;
    text-align: center;
  }
  @media (max-width: 30rem) {
    .input {
      grid-template-columns: minmax(0, 1fr);
    }
    .problem {
      grid-column: 1;
    }
  }
`;
