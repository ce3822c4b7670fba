import { css } from 'lit';

/** Styles of the chat view. */
export const chatViewStyles = css`
  :host {
    display: grid;
    grid-template: minmax(0, 1fr) / 16.5rem minmax(0, 1fr);
    height: 100%;
  }
  tabd-chat-options {
    position: absolute;
  }
  aside {
    min-height: 0;
    display: flex;
    flex-direction: column;
    background: var(--sunken);
    border-right: 1px solid var(--line);
  }
  aside > .new {
    margin: 0.75rem 0.75rem 0.6rem;
  }
  aside > tabd-chat-list,
  dialog tabd-chat-list {
    flex: 1;
    min-height: 0;
  }
  .talk {
    position: relative;
    display: flex;
    flex-direction: column;
    min-height: 0;
    min-width: 0;
  }
  .strip {
    display: flex;
    align-items: center;
    gap: 0.25rem;
    padding: 0.3rem 0.75rem;
    border-bottom: 1px solid var(--line);
  }
  .strip .title {
    flex: 1;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    font-size: 0.9rem;
    text-align: center;
  }
  dialog.sheet {
    width: min(20rem, 85vw);
    padding: 0.75rem 0 0;
    border-right: 1px solid var(--line);
    background: var(--sunken);
  }
  dialog[open] {
    display: flex;
    flex-direction: column;
  }
  dialog header {
    padding: 0 0.75rem 0.6rem 1rem;
  }
  .log {
    flex: 1;
    min-height: 0;
    overflow-y: auto;
    overscroll-behavior: contain;
    scrollbar-gutter: stable both-edges;
  }
  .turns > * {
    width: 100%;
    max-width: 45.5rem;
    margin: 0 auto;
  }
  .turns > tabd-answer-pair {
    max-width: 76rem;
  }
  .turns {
    padding: 1.5rem 1.25rem;
    display: flex;
    flex-direction: column;
    gap: 0.5rem;
  }
  .empty {
    height: 100%;
    display: grid;
    grid-template-columns: minmax(0, 36rem);
    justify-content: center;
    align-content: safe center;
    text-align: center;
    padding: 1.25rem;
  }
  .starters {
    display: flex;
    flex-wrap: wrap;
    justify-content: center;
    gap: 0.5rem;
    margin-top: 1.25rem;
  }
  .starters button {
    white-space: normal;
    text-align: left;
  }
  tabd-pull-list {
    margin-top: 1.25rem;
    text-align: left;
  }
  .drop {
    position: absolute;
    inset: 0.75rem;
    border: 2px dashed var(--accent);
    border-radius: 20px;
    pointer-events: none;
  }
  @media (max-width: 56rem) {
    :host {
      grid-template-columns: minmax(0, 1fr);
    }
  }
`;
