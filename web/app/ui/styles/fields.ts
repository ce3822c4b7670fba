import { css } from 'lit';

/**
 * Fields of forms, their labels and hints.
 *
 * - A text field, a choice or a text area is a box over the width of its container. `pill` is for one in a line with
 *   its button, or for a search.
 * - `field` has the label above the control: `<label class="field">` around both, or a `div` with a `label`.
 * - `setting` has the label and its hint on the left, the control on the right.
 * - `label.check` has a checkbox before its text.
 *
 * `:where()` keeps the specificity of one tag, so that a rule of a view for `input` has precedence.
 */
export const fields = css`
  input,
  select,
  textarea {
    color: var(--text);
    font: inherit;
  }
  input:where(:not([type='checkbox'], [type='radio'], [type='file'])),
  select,
  textarea {
    width: 100%;
    min-width: 0;
    min-height: 2.4rem;
    padding: 0.35rem 0.8rem;
    border: 1px solid var(--line);
    border-radius: 10px;
    background: var(--surface);
    font-size: 0.95rem;
  }
  textarea {
    display: block;
    max-height: 24rem;
    line-height: 1.45;
    field-sizing: content;
    resize: vertical;
  }
  .pill {
    flex: 1;
    border-radius: 999px;
  }
  select.pill {
    flex: none;
    width: auto;
    max-width: 100%;
  }
  input:where([type='checkbox'], [type='radio']) {
    flex: none;
    width: 1.1rem;
    height: 1.1rem;
    margin: 0;
  }
  input::placeholder,
  textarea::placeholder {
    color: var(--soft);
    opacity: 1;
  }
  [aria-invalid='true'] {
    border-color: var(--bad);
  }
  .field {
    display: grid;
    gap: 0.3rem;
    min-width: 0;
  }
  label.field,
  .field > label {
    font-size: 0.85rem;
    color: var(--soft);
  }
  .setting {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(0, 15rem);
    gap: 0 1.25rem;
    align-items: center;
  }
  .setting > label {
    font-size: 0.95rem;
  }
  .setting input {
    grid-area: 1 / 2 / span 2;
  }
  label.check {
    display: flex;
    align-items: center;
    gap: 0.6rem;
    font-size: 0.9rem;
  }
  .hint {
    margin: 0;
    font-size: 0.8rem;
    line-height: 1.4;
    color: var(--soft);
  }
  p.wrong {
    margin: 0.25rem 0 0;
    font-size: 0.85rem;
    color: var(--bad);
  }
  fieldset {
    min-width: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    padding: 0;
    font-size: 0.88rem;
  }
`;
