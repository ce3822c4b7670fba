import { css } from 'lit';

/** Styles of a turn in the chat view. */
export const messageStyles = css`
  :host {
    display: block;
  }
  :host([fresh]) {
    animation: rise 0.18s ease-out;
  }
  @keyframes rise {
    from {
      opacity: 0;
      transform: translateY(4px);
    }
  }
  .user {
    margin-left: auto;
    width: fit-content;
    max-width: 85%;
    background: var(--accent-wash);
    border-radius: 18px 18px 4px 18px;
    padding: 0.55rem 1rem;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .images {
    display: flex;
    flex-wrap: wrap;
    justify-content: flex-end;
    gap: 0.4rem;
    margin-bottom: 0.4rem;
  }
  .images img {
    max-width: min(16rem, 100%);
    max-height: 16rem;
    border-radius: var(--radius);
    border: 1px solid var(--line);
  }
  .answer {
    overflow-wrap: anywhere;
  }
  .answer > :first-child {
    margin-top: 0;
  }
  .answer > :last-child {
    margin-bottom: 0;
  }
  .answer :is(h1, h2, h3, h4) {
    font-size: 1.05rem;
    font-weight: 600;
    color: inherit;
    margin: 1.1em 0 0.4em;
  }
  .answer :is(ul, ol) {
    padding-left: 1.4rem;
    margin: 0.4rem 0 0.8rem;
  }
  .answer code {
    font: 0.88em var(--mono);
    background: var(--sunken);
    padding: 0.1em 0.35em;
    border-radius: 5px;
  }
  .answer pre code {
    background: none;
    padding: 0;
    font-size: 1em;
  }
  .code {
    position: relative;
    margin: 0.6rem 0 0.9rem;
  }
  .code button {
    position: absolute;
    top: 0.35rem;
    right: 0.35rem;
    background: var(--surface);
    font-size: 0.75rem;
    min-height: 1.7rem;
  }
  .answer table {
    border-collapse: collapse;
    display: block;
    overflow-x: auto;
  }
  .answer :is(th, td) {
    border: 1px solid var(--line);
    padding: 0.3rem 0.7rem;
    text-align: left;
  }
  .answer blockquote {
    margin: 0.6rem 0;
    padding-left: 0.9rem;
    border-left: 3px solid var(--line);
    color: var(--soft);
  }
  .answer a {
    color: var(--accent);
  }
  .answer img {
    max-width: 100%;
    max-height: 28rem;
    border-radius: var(--radius);
  }
  .remote-image {
    display: inline-flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0 0.5rem;
    max-width: 100%;
    padding: 0.35rem 0.8rem;
    border: 1px dashed var(--line);
    border-radius: var(--radius);
    font-size: 0.9rem;
  }
  details {
    margin-bottom: 0.6rem;
  }
  .thought {
    margin-top: 0.4rem;
    padding-left: 0.9rem;
    border-left: 3px solid var(--line);
    color: var(--soft);
    font-size: 0.9rem;
    white-space: pre-wrap;
  }
  .unformatted {
    white-space: pre-wrap;
  }
  .tool {
    margin: 0.5rem 0;
    font-size: 0.9rem;
  }
  .tool .name {
    display: flex;
    align-items: center;
    gap: 0.4rem;
    color: var(--soft);
    margin-bottom: 0.5rem;
  }
  .tool form {
    display: grid;
    gap: 0.5rem;
    margin-top: 0.75rem;
    justify-items: start;
  }
  textarea {
    min-height: 3rem;
    font-size: 1rem;
  }
  .edit {
    display: grid;
    gap: 0.5rem;
  }
  .edit .buttons {
    justify-content: flex-end;
  }
  .gone {
    margin-top: 0.5rem;
  }
  .foot {
    display: flex;
    align-items: center;
    flex-wrap: wrap;
    gap: 0.1rem 0.3rem;
    min-height: 1.9rem;
    margin-top: 0.3rem;
    margin-left: -0.6rem;
    font-size: 0.8rem;
    color: var(--soft);
  }
  .foot button {
    font-size: 0.8rem;
    padding: 0.2rem 0.6rem;
  }
  .foot .note {
    padding: 0 0.6rem;
  }
  .foot .step {
    padding: 0.1rem;
    min-width: 1.9rem;
  }
  .foot .versions {
    display: flex;
    align-items: center;
  }
  .foot.mine {
    justify-content: flex-end;
    margin: 0.1rem 0 0;
  }
  @media (hover: hover) {
    .foot.mine button:not(.step) {
      opacity: 0;
    }
    :host(:hover) .foot button,
    :host(:focus-within) .foot button {
      opacity: 1;
    }
  }
  .waiting {
    color: var(--soft);
    display: flex;
    align-items: center;
    gap: 0.6rem;
  }
  .waiting::before {
    content: '';
    width: 0.55rem;
    height: 0.55rem;
    border-radius: 50%;
    background: var(--accent);
    animation: pulse 1.2s ease-in-out infinite;
  }
  @keyframes pulse {
    50% {
      opacity: 0.25;
    }
  }
`;
