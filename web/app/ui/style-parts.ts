import { css } from 'lit';

/** Declarations that several elements share. Insert them into a rule: `dialog { ${dialogBox} }`. */

/** The box of a dialog. */
export const dialogBox = css`
  border: 1px solid var(--line);
  border-radius: var(--radius);
  background: var(--surface);
  color: var(--text);
`;

/** The backdrop of a dialog. */
export const dialogBackdrop = css`
  background: rgb(0 0 0 / 30%);
`;

/** The box of a text field or a choice in a form. */
export const fieldBox = css`
  min-height: 2.4rem;
  padding: 0.3rem 0.7rem;
  border: 1px solid var(--line);
  border-radius: 9px;
  background: var(--bg);
  font-size: 0.9rem;
`;

/** A row of small buttons below a form, aligned with its text. */
export const actionButton = css`
  padding: 0.2rem 0.5rem;
  font-size: 0.83rem;
`;
