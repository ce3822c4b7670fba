import { css } from 'lit';
import { dialogBackdrop, dialogBox } from '../ui/style-parts.ts';

export const editorStyles = css`
  :host {
    display: grid;
    grid-template-rows: auto minmax(0, 1fr);
    height: 100%;
    min-height: 0;
  }
  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.2rem 0.35rem;
    padding: 0.4rem 0.75rem;
    border-bottom: 1px solid var(--line);
    background: var(--bg);
  }
  .bar button {
    min-height: 2.1rem;
  }
  .icon {
    width: 2.1rem;
    padding: 0;
  }
  .switch {
    display: inline-flex;
    padding: 2px;
    border: 1px solid var(--line);
    border-radius: 999px;
  }
  .switch button {
    min-height: 1.75rem;
    border: 0;
    background: transparent;
    color: var(--soft);
    padding: 0 0.75rem;
  }
  .switch button[aria-pressed='true'] {
    background: var(--sunken);
    color: var(--text);
    font-weight: 550;
  }
  .end {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.4rem;
    margin-left: auto;
  }
  .stage {
    position: relative;
    min-height: 0;
  }
  .stage > * {
    position: absolute;
    inset: 0;
  }
  [hidden] {
    display: none !important;
  }
  dialog {
    ${dialogBox}
    padding: 1.25rem 1.5rem;
  }
  dialog::backdrop {
    ${dialogBackdrop}
  }
  dl {
    display: grid;
    grid-template-columns: auto 1fr;
    gap: 0.5rem 1.5rem;
    margin: 0 0 1rem;
    font-size: 0.9rem;
  }
  dt {
    font-family: var(--mono);
    font-size: 0.82rem;
  }
  dd {
    margin: 0;
    color: var(--soft);
  }
  @media (max-width: 40rem) {
    .bar {
      padding: 0.35rem 0.5rem;
    }
    .wide {
      display: none;
    }
  }
`;
