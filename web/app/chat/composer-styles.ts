import { css } from 'lit';

/** Styles of the form for a message. */
export const composerStyles = css`
  form {
    width: 100%;
    max-width: 48rem;
    margin: 0 auto;
    padding: 0 1.25rem 1rem;
  }
  .composer {
    background: var(--surface);
    border: 1px solid var(--line);
    border-radius: 20px;
    box-shadow: var(--shadow-sm);
    transition: border-color var(--motion);
    padding: 0.55rem 0.6rem 0.55rem 1rem;
  }
  .composer:focus-within {
    border-color: var(--accent);
  }
  .composer:has(textarea:focus-visible) {
    outline: 2px solid var(--accent);
    outline-offset: -1px;
  }
  textarea {
    padding: 0.3rem 0;
    min-height: 1.9rem;
    max-height: 12rem;
    border: 0;
    background: none;
    font-size: 1rem;
    line-height: inherit;
    resize: none;
  }
  textarea:focus-visible {
    outline: none;
  }
  .row {
    display: flex;
    align-items: center;
    gap: 0.2rem;
    margin-top: 0.25rem;
    margin-left: -0.5rem;
  }
  .round.on {
    color: var(--accent);
  }
  select {
    width: auto;
    max-width: 100%;
    min-height: 2.25rem;
    padding: 0 1.6rem 0 0.5rem;
    border-color: transparent;
    background-color: transparent;
    color: var(--soft);
    font-size: var(--text-md);
    cursor: pointer;
  }
  select:hover {
    border-color: transparent;
    background-color: var(--sunken);
  }
  .documents,
  .queue {
    display: flex;
    flex-wrap: wrap;
    gap: 0.4rem;
    margin: 0;
    padding: 0.2rem 0;
    list-style: none;
    font-size: var(--text-sm);
  }
  .documents li,
  .queue li {
    display: flex;
    align-items: center;
    gap: 0.35rem;
    max-width: 100%;
    padding: 0 0.1rem 0 0.5rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-sm);
    --round: 1.7rem;
  }
  .queue {
    flex-direction: column;
    align-items: flex-end;
    padding: 0 0.5rem 0.5rem;
  }
  .queue li {
    border-style: dashed;
    color: var(--soft);
  }
  .documents span,
  .queue span {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .context {
    display: flex;
    align-items: center;
    gap: 0.4rem;
    padding: 0 0.6rem;
    font-size: var(--text-xs);
    color: var(--soft);
    white-space: nowrap;
  }
  .context i {
    width: 2.2rem;
    height: 4px;
    border-radius: 2px;
    background: linear-gradient(to right, var(--accent) var(--share), var(--line) 0);
  }
  .context.full i {
    background: linear-gradient(to right, var(--bad) var(--share), var(--line) 0);
  }
  button.round.send {
    --round: 2.25rem;
  }
  .pick {
    flex: 1;
    display: flex;
    align-items: center;
    min-width: 0;
    font-size: var(--text-sm);
  }
  .pick > select {
    flex: 0 1 auto;
    min-width: 0;
  }
  @media (max-width: 40rem) {
    .row:has(.two) {
      flex-wrap: wrap;
    }
    .row:has(.two) .send {
      margin-left: auto;
    }
    .pick.two {
      order: 1;
      flex-basis: 100%;
    }
  }
  .hint {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.3rem 0.6rem;
    margin: 0.2rem 0;
  }
  .images {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    padding: 0.3rem 0;
  }
  .images span {
    position: relative;
  }
  .images img {
    display: block;
    height: 4.5rem;
    max-width: 8rem;
    object-fit: cover;
    border-radius: 10px;
    border: 1px solid var(--line);
  }
  .images button {
    position: absolute;
    top: -0.5rem;
    right: -0.5rem;
    background: var(--surface);
    --round: 1.6rem;
  }
  .problem {
    color: var(--bad);
    font-size: 0.85rem;
    margin: 0.2rem 0;
  }
`;
