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
  .answer h1 {
    font-size: 1.35rem;
  }
  .answer h2 {
    font-size: 1.18rem;
  }
  .answer :is(h3, h4) {
    font-size: 1.03rem;
  }
  .answer :is(h1, h2, h3, h4) {
    font-weight: 620;
    letter-spacing: -0.01em;
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
    margin: 0.6rem 0 0.9rem;
    overflow: hidden;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--sunken);
  }
  .code .head {
    display: flex;
    align-items: center;
    justify-content: space-between;
    padding: 0.15rem 0.4rem 0.15rem 1rem;
    border-bottom: 1px solid var(--line);
    font: 0.75rem var(--mono);
    color: var(--soft);
  }
  .code button {
    font: 0.75rem system-ui, sans-serif;
    min-height: 1.7rem;
  }
  .code .head span {
    flex: 1;
  }
  .code pre {
    border-radius: 0;
  }
  .drawing {
    padding: 1rem;
  }
  .answer .drawing img {
    display: block;
    height: auto;
    max-height: 70vh;
    margin: 0 auto;
    border-radius: 0;
  }
  .diagram-error {
    margin: 0;
    padding: 0.6rem 1rem;
    border-top: 1px solid var(--line);
    font-size: var(--text-sm);
    white-space: pre-wrap;
    color: var(--bad);
  }
  .hljs-comment,
  .hljs-quote {
    color: var(--soft);
    font-style: italic;
  }
  .hljs-keyword,
  .hljs-selector-tag,
  .hljs-literal,
  .hljs-doctag {
    color: light-dark(#8a2bb0, #d9a2ff);
  }
  .hljs-string,
  .hljs-regexp,
  .hljs-addition,
  .hljs-attribute {
    color: light-dark(#1c6b3a, #8ddba9);
  }
  .hljs-number,
  .hljs-symbol,
  .hljs-bullet,
  .hljs-variable,
  .hljs-template-variable {
    color: light-dark(#a04600, #ffbd80);
  }
  .hljs-title,
  .hljs-section,
  .hljs-name,
  .hljs-selector-id,
  .hljs-selector-class {
    color: light-dark(#1d55b8, #8fbcff);
  }
  .hljs-built_in,
  .hljs-type,
  .hljs-attr,
  .hljs-meta {
    color: light-dark(#0e6b7a, #7ad3e3);
  }
  .hljs-deletion {
    color: var(--bad);
  }
  .formula.block {
    display: block;
    overflow-x: auto;
    overflow-y: hidden;
    padding: 0.2rem 0;
  }
  .task {
    display: inline-grid;
    place-content: center;
    width: 0.95rem;
    height: 0.95rem;
    margin-right: 0.5rem;
    border: 1.5px solid var(--soft);
    border-radius: 4px;
    vertical-align: -0.12em;
  }
  .task.done {
    border-color: var(--accent);
    background: var(--accent);
  }
  .task.done::before {
    content: '';
    width: 0.6rem;
    height: 0.6rem;
    background: var(--on-accent);
    clip-path: polygon(14% 47%, 3% 59%, 38% 92%, 97% 22%, 85% 11%, 37% 67%);
  }
  .answer .task-item {
    list-style: none;
    margin-left: -1.4rem;
  }
  .task-item > p {
    display: inline;
  }
  .documents {
    display: flex;
    flex-wrap: wrap;
    justify-content: flex-end;
    gap: 0.4rem;
    margin: 0 0 0.4rem;
    padding: 0;
    list-style: none;
    font-size: var(--text-sm);
  }
  .documents li {
    display: flex;
    align-items: center;
    gap: 0.35rem;
    padding: 0.3rem 0.7rem 0.3rem 0.45rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-sm);
    background: var(--surface);
  }
  .growing > :last-child::after,
  .growing:empty::after {
    content: '';
    display: inline-block;
    width: 0.5em;
    height: 1em;
    margin-left: 0.15em;
    border-radius: 2px;
    vertical-align: -0.15em;
    background: var(--accent);
    animation: pulse 1.2s ease-in-out infinite;
  }
  .growing > :is(.code, ul, ol, table):last-child::after {
    content: none;
  }
  .ending {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.6rem;
    margin-top: 0.4rem;
    font-size: var(--text-md);
    color: var(--soft);
  }
  .answer table {
    border-collapse: collapse;
    display: block;
    margin-bottom: 0.8rem;
    overflow-x: auto;
  }
  .answer :is(th, td) {
    border: 1px solid var(--line);
    padding: 0.3rem 0.7rem;
  }
  .answer :is(th, td):not([align]) {
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
  details:not(.menu) {
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
    margin-left: -0.5rem;
    font-size: var(--text-sm);
    color: var(--soft);
    --round: 2rem;
  }
  .foot summary {
    width: 2rem;
    height: 2rem;
  }
  .foot summary svg {
    width: 1rem;
    height: 1rem;
  }
  .foot .note {
    padding: 0 0.5rem;
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
