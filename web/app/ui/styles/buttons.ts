import { css } from 'lit';

/**
 * Buttons, and rows of buttons. A button is `primary`, `plain`, `small`, `danger`, or `round` around an icon.
 * `--round` sets the size of round buttons. `plain` stands after `small`, because small plain buttons keep its padding.
 */
export const buttons = css`
  button,
  a.button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: 0.4rem;
    min-height: 2.25rem;
    padding: 0.25rem 0.9rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-full);
    background: var(--surface);
    color: inherit;
    cursor: pointer;
    font: inherit;
    font-size: var(--text-md);
    white-space: nowrap;
    transition:
      background var(--motion),
      border-color var(--motion),
      color var(--motion),
      opacity var(--motion);
  }
  a.button {
    text-decoration: none;
  }
  button:hover:not(:disabled),
  a.button:hover {
    border-color: var(--soft);
  }
  button:active:not(:disabled) {
    filter: brightness(0.96);
  }
  button:disabled {
    opacity: 0.5;
    cursor: default;
  }
  button.primary {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
    font-weight: 550;
  }
  button.primary:hover:not(:disabled) {
    filter: brightness(1.08);
    border-color: transparent;
  }
  button.small {
    min-height: 1.9rem;
    padding: 0.1rem 0.7rem;
    font-size: var(--text-sm);
  }
  button.plain {
    border-color: transparent;
    background: transparent;
    color: var(--soft);
    padding: 0.2rem 0.6rem;
    min-height: 1.9rem;
  }
  button.plain:hover:not(:disabled) {
    color: var(--text);
    background: var(--sunken);
    border-color: transparent;
  }
  button.danger {
    color: var(--bad);
  }
  button.round {
    flex: none;
    width: var(--round, 2.25rem);
    min-height: var(--round, 2.25rem);
    padding: 0;
  }
  button.round svg {
    width: 1rem;
    height: 1rem;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
  }
`;
