import { css } from 'lit';

/** Styles of node forms. */
export const formStyles = css`
  .fields,
  fieldset {
    display: grid;
    gap: 0.95rem;
  }
  fieldset {
    padding: 0.9rem 0 0;
    border-top: 1px solid var(--line);
    justify-items: stretch;
  }
  fieldset > button.small {
    justify-self: start;
  }
  legend {
    float: left;
    width: 100%;
    margin-bottom: 0.1rem;
    font-weight: 600;
  }
  legend + * {
    clear: both;
  }
  .label {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 1.5rem;
  }
  .label label,
  .label > span {
    font-size: 0.85rem;
    color: var(--soft);
  }
  .check .label label {
    color: var(--text);
    font-size: 0.9rem;
  }
  button.mode {
    margin-left: auto;
    min-height: 1.5rem;
    padding: 0 0.55rem;
    font-size: 0.72rem;
    color: var(--soft);
    border-color: transparent;
    background: transparent;
  }
  button.mode:hover {
    background: var(--sunken);
  }
  button.mode[aria-pressed='true'] {
    color: var(--accent);
    background: var(--accent-wash);
    font-weight: 600;
  }
  textarea.expression {
    border-color: color-mix(in srgb, var(--accent) 45%, var(--line));
    min-height: 2.35rem;
    padding-top: 0.5rem;
  }
  .preview {
    display: block;
    font-size: 0.8rem;
    line-height: 1.4;
    overflow-wrap: anywhere;
  }
  .preview code {
    font: 0.78rem/1.4 var(--mono);
    color: var(--good);
    white-space: pre-wrap;
  }
  .preview .wrong {
    color: var(--bad);
  }
  button.link {
    min-height: 0;
    padding: 0;
    border: 0;
    background: none;
    color: var(--accent);
    font-size: inherit;
    text-decoration: underline;
    white-space: normal;
    text-align: left;
  }
  .removable {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 0.25rem;
    align-items: start;
  }
  .removable > div {
    display: grid;
    gap: 0.6rem;
    min-width: 0;
  }
  .entry {
    padding: 0.7rem 0.3rem 0.8rem 0.8rem;
    background: var(--sunken);
    border-radius: 10px;
  }
  button.remove {
    --round: 1.7rem;
  }
  .pair {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(6rem, 0.6fr);
    gap: 0.6rem;
  }
  .checks {
    display: flex;
    flex-wrap: wrap;
    gap: 0.4rem 1rem;
  }
  select.add {
    width: auto;
    justify-self: start;
    color: var(--soft);
  }
`;
