import { css } from 'lit';

/** Styles of the API reference. */
export const referenceStyles = css`
  .back {
    display: inline-flex;
    align-items: center;
    gap: 0.2rem;
    margin: 0 0 0.6rem -0.3rem;
    font-size: var(--text-sm);
    text-decoration: none;
  }
  .back svg {
    width: 1.1rem;
    height: 1.1rem;
  }
  .tools {
    position: sticky;
    top: 0;
    z-index: 1;
    display: flex;
    flex-wrap: wrap;
    gap: 0.6rem;
    margin: 0 -0.25rem;
    padding: 0.5rem 0.25rem;
    background: var(--bg);
  }
  .tools input {
    flex: 1 1 12rem;
  }
  .switch {
    align-self: center;
  }
  details {
    border-bottom: 1px solid var(--line);
  }
  summary {
    width: 100%;
    min-height: 2.4rem;
    color: var(--text);
  }
  summary code {
    overflow-wrap: anywhere;
  }
  code {
    font: 0.83rem var(--mono);
  }
  .method {
    flex: none;
    width: 3.9rem;
    font: 600 0.75rem var(--mono);
    color: var(--accent);
  }
  .method:is(.get, .head) {
    color: var(--good);
  }
  .method.delete {
    color: var(--bad);
  }
  .content {
    padding: 0 0 1.1rem 1.15rem;
  }
  .content h3 {
    margin-top: 0.7rem;
  }
  dl {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(14.5rem, 1fr));
    gap: 0.25rem 1rem;
    margin: 0 0 0.9rem;
    font-size: 0.85rem;
  }
  dl div {
    display: flex;
    align-items: baseline;
    gap: 0.6rem;
    overflow-wrap: anywhere;
  }
  dd {
    margin: 0;
  }
  .code {
    margin-bottom: 0.75rem;
    overflow: hidden;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--sunken);
  }
  .code .head {
    display: flex;
    align-items: center;
    justify-content: space-between;
    padding: 0.15rem 0.4rem 0.15rem 1rem;
    border-bottom: 1px solid var(--line);
    font: 0.75rem var(--mono);
    color: var(--soft);
  }
  .code pre {
    border-radius: 0;
  }
  .code button {
    min-height: 1.7rem;
    font-size: var(--text-xs);
  }
`;
