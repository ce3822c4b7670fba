import { css, html, LitElement, nothing } from 'lit';
import { strings } from '../strings.ts';
import { controls } from '../ui/theme.ts';
import type { ShownTurn } from './turn.ts';

/** Comes with the first answer, not with the page: it is a sixth of what the page loads. */
let markdown: typeof import('./markdown.ts') | undefined;

/** One turn of a conversation. */
export class MessageItem extends LitElement {
  static override properties = {
    turn: { attribute: false },
    canRetry: { type: Boolean },
    copied: { state: true },
  };
  declare turn: ShownTurn;
  declare canRetry: boolean;
  declare copied: boolean;

  static override styles = [
    controls,
    css`
      :host {
        display: block;
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
      .answer pre {
        margin: 0.6rem 0 0.9rem;
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
      details {
        color: var(--soft);
        font-size: 0.9rem;
        margin-bottom: 0.6rem;
      }
      summary {
        cursor: pointer;
      }
      .thought {
        white-space: pre-wrap;
        border-left: 3px solid var(--line);
        padding-left: 0.9rem;
        margin-top: 0.4rem;
      }
      .unformatted {
        white-space: pre-wrap;
      }
      .foot {
        display: flex;
        align-items: center;
        flex-wrap: wrap;
        gap: 0.15rem 0.6rem;
        min-height: 1.9rem;
        margin-top: 0.35rem;
        font-size: 0.8rem;
        color: var(--soft);
      }
      .foot button {
        font-size: 0.8rem;
        margin-left: -0.6rem;
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
    `,
  ];

  override render() {
    const { turn } = this;
    if (turn.role === 'user')
      return html`<div class="user"><span class="visually-hidden">${strings.chat.you}: </span>${turn.content}</div>`;
    return html`
      ${
        turn.thinking
          ? html`<details ?open=${turn.content === '' && turn.state === 'running'}>
              <summary>${strings.chat.thinking}</summary>
              <div class="thought">${turn.thinking}</div>
            </details>`
          : nothing
      }
      ${
        turn.state === 'running' && turn.content === ''
          ? turn.thinking
            ? nothing
            : html`<div class="waiting" role="status">${turn.waitingFor ?? strings.chat.reading}</div>`
          : html`<div class="answer">${this.#formatted(turn.content)}</div>`
      }
      ${turn.error === undefined ? nothing : html`<div class="error" role="alert">${turn.error}</div>`}
      ${
        turn.state === 'running'
          ? nothing
          : html`<div class="foot num">
              ${
                turn.content === ''
                  ? nothing
                  : html`<button class="plain" @click=${this.#copy}>
                      ${this.copied ? strings.chat.copied : strings.chat.copy}
                    </button>`
              }
              ${
                this.canRetry
                  ? html`<button class="plain" @click=${() => this.dispatchEvent(new Event('retry'))}>
                      ${strings.chat.retry}
                    </button>`
                  : nothing
              }
              ${turn.note ? html`<span>${turn.note}</span>` : nothing}
            </div>`
      }
    `;
  }

  /** As plain text until Markdown can be read. */
  #formatted(text: string) {
    if (markdown) return markdown.renderMarkdown(text);
    void import('./markdown.ts').then((module) => {
      markdown = module;
      this.requestUpdate();
    });
    return html`<div class="unformatted">${text}</div>`;
  }

  async #copy() {
    await navigator.clipboard.writeText(this.turn.content);
    this.copied = true;
    setTimeout(() => {
      this.copied = false;
    }, 1500);
  }
}

customElements.define('tabd-message', MessageItem);
