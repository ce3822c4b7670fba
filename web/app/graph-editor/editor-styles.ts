import { css } from 'lit';

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
    --round: 2.1rem;
    min-height: 2.1rem;
  }
  .bar .switch button {
    min-height: 1.75rem;
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
    --width: 44rem;
  }
  dl {
    column-gap: 1.5rem;
  }
  dt {
    font-family: var(--mono);
    font-size: 0.82rem;
    color: var(--text);
  }
  dd {
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
