import { css } from 'lit';

/** A group of buttons of which one is pressed: `<span class="switch" role="group">`. */
export const switches = css`
  .switch {
    display: inline-flex;
    padding: 2px;
    border-radius: var(--radius-full);
    background: var(--sunken);
  }
  .switch button {
    min-height: 1.75rem;
    padding: 0 0.8rem;
    border: 0;
    background: none;
    color: var(--soft);
    font-size: var(--text-sm);
  }
  .switch button[aria-pressed='true'] {
    background: var(--surface);
    color: var(--text);
    box-shadow: var(--shadow-sm);
  }
`;
