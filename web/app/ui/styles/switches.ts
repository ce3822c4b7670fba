import { css } from 'lit';

/** A group of buttons of which one is pressed: `<span class="switch" role="group">`. */
export const switches = css`
  .switch {
    display: inline-flex;
    padding: 2px;
    border-radius: 999px;
    background: var(--sunken);
  }
  .switch button {
    min-height: 1.75rem;
    padding: 0 0.8rem;
    border: 0;
    background: none;
    color: var(--soft);
    font-size: 0.82rem;
  }
  .switch button[aria-pressed='true'] {
    background: var(--surface);
    color: var(--text);
    font-weight: 550;
    box-shadow: 0 1px 3px rgb(0 0 0 / 0.12);
  }
`;
