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
  input:where(:not([type='checkbox'], [type='radio'], [type='file'], [type='range'])),
  select,
  textarea {
    width: 100%;
    min-width: 0;
    min-height: 2.4rem;
    padding: 0.35rem 0.8rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-sm);
    background-color: var(--surface);
    font-size: 0.95rem;
    transition: border-color var(--motion);
  }
  input:where(:not([type='checkbox'], [type='radio'], [type='file'], [type='range'])):hover,
  select:hover,
  textarea:hover {
    border-color: color-mix(in srgb, var(--soft) 60%, var(--line));
  }
  /* The arrow is drawn here, so that it looks the same in every browser. */
  select {
    appearance: none;
    padding-right: 2rem;
    background-image:
      linear-gradient(45deg, transparent 50%, var(--soft) 50%), linear-gradient(-45deg, transparent 50%, var(--soft) 50%);
    background-position:
      calc(100% - 1.05rem) 55%,
      calc(100% - 0.75rem) 55%;
    background-size: 0.3rem 0.3rem;
    background-repeat: no-repeat;
    text-overflow: ellipsis;
  }
  input[type='search']::-webkit-search-cancel-button {
    appearance: none;
    width: 0.9rem;
    height: 0.9rem;
    cursor: pointer;
    background: var(--soft);
    clip-path: polygon(15% 5%, 50% 40%, 85% 5%, 95% 15%, 60% 50%, 95% 85%, 85% 95%, 50% 60%, 15% 95%, 5% 85%, 40% 50%, 5% 15%);
  }
  input[type='number'] {
    appearance: textfield;
    font-variant-numeric: tabular-nums;
  }
  input[type='number']::-webkit-inner-spin-button {
    appearance: none;
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
    border-radius: var(--radius-full);
  }
  select.pill {
    flex: none;
    width: auto;
    max-width: 100%;
  }
  input:where([type='checkbox'], [type='radio']) {
    appearance: none;
    flex: none;
    display: inline-grid;
    place-content: center;
    width: 1.15rem;
    height: 1.15rem;
    margin: 0;
    border: 1.5px solid color-mix(in srgb, var(--soft) 70%, var(--line));
    border-radius: 5px;
    background: var(--surface);
    cursor: pointer;
    transition:
      background var(--motion),
      border-color var(--motion);
  }
  input:where([type='radio']) {
    border-radius: 50%;
  }
  input:where([type='checkbox'], [type='radio']):checked {
    border-color: var(--accent);
    background: var(--accent);
  }
  input:where([type='checkbox'], [type='radio']):checked::before {
    content: '';
    width: 0.7rem;
    height: 0.7rem;
    background: var(--on-accent);
    clip-path: polygon(14% 47%, 3% 59%, 38% 92%, 97% 22%, 85% 11%, 37% 67%);
  }
  input[type='radio']:checked::before {
    width: 0.5rem;
    height: 0.5rem;
    border-radius: 50%;
    clip-path: none;
  }
  /* A checkbox whose effect is immediate looks like a switch. */
  input[type='checkbox'][role='switch'] {
    width: 2.1rem;
    height: 1.25rem;
    border-radius: var(--radius-full);
    justify-content: start;
    padding: 0 2px;
    background: color-mix(in srgb, var(--soft) 25%, var(--surface));
  }
  input[type='checkbox'][role='switch']::before,
  input[type='checkbox'][role='switch']:checked::before {
    content: '';
    width: 0.85rem;
    height: 0.85rem;
    border-radius: 50%;
    background: var(--surface);
    clip-path: none;
    box-shadow: var(--shadow-sm);
    transition: translate var(--motion);
  }
  input[type='checkbox'][role='switch']:checked {
    background: var(--accent);
  }
  input[type='checkbox'][role='switch']:checked::before {
    background: var(--on-accent);
    translate: 0.85rem 0;
  }
  input:disabled,
  select:disabled {
    opacity: 0.55;
    cursor: default;
  }
  input[type='range'] {
    padding: 0;
    border: 0;
    background: none;
    cursor: pointer;
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
