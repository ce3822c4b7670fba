import { css } from 'lit';

/** Dialogs, at most `--width` wide. A `sheet` fills the height of the window at one of its sides. */
export const dialogs = css`
  dialog {
    max-width: min(var(--width, 28rem), calc(100vw - 2rem));
    padding: 1.4rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-lg);
    background: var(--raised);
    box-shadow: var(--shadow-md);
    color: var(--text);
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 0.35);
  }
  dialog header {
    display: flex;
    align-items: center;
  }
  dialog h2 {
    flex: 1;
    margin: 0;
  }
  dialog .buttons {
    justify-content: flex-end;
    margin-top: 1.25rem;
  }
  dialog.sheet {
    height: 100dvh;
    max-width: none;
    max-height: none;
    margin: 0;
    padding: 0;
    border: 0;
    border-radius: 0;
  }
`;
