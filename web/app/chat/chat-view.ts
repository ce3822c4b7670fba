import { css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { ChatTurn } from '../api-client.ts';
import { strings } from '../strings.ts';
import { AppElement } from '../ui/app-element.ts';
import { errorText } from '../ui/error-text.ts';
import { tokensPerSecond } from '../ui/format.ts';
import { controls } from '../ui/theme.ts';
import './message-item.ts';
import { keepConversation, restoreConversation, type ShownTurn } from './turn.ts';

/** A conversation with one model, streamed, that can be stopped and tried again. */
export class ChatView extends AppElement {
  static override properties = { ...AppElement.properties, turns: { state: true }, draft: { state: true } };
  declare turns: ShownTurn[];
  declare draft: string;
  #abort: AbortController | undefined;

  static override styles = [
    controls,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
      }
      .log {
        flex: 1;
        overflow-y: auto;
        overscroll-behavior: contain;
        scrollbar-gutter: stable both-edges;
      }
      .turns {
        max-width: 46rem;
        margin: 0 auto;
        padding: 1.5rem 1.25rem;
        display: flex;
        flex-direction: column;
        gap: 1.1rem;
      }
      .empty {
        height: 100%;
        display: grid;
        place-content: center;
        text-align: center;
        padding: 1.25rem;
      }
      tabd-pull-list {
        margin-top: 1.25rem;
        text-align: left;
      }
      form {
        width: 100%;
        max-width: 46rem;
        margin: 0 auto;
        padding: 0 1.25rem 1rem;
      }
      .composer {
        background: var(--surface);
        border: 1px solid var(--line);
        border-radius: 20px;
        padding: 0.55rem 0.6rem 0.55rem 1rem;
      }
      .composer:focus-within {
        border-color: var(--accent);
      }
      textarea {
        display: block;
        width: 100%;
        border: 0;
        resize: none;
        background: none;
        padding: 0.3rem 0;
        min-height: 1.9rem;
        max-height: 12rem;
        field-sizing: content;
      }
      textarea:focus-visible {
        outline: none;
      }
      .row {
        display: flex;
        align-items: center;
        gap: 0.4rem;
        margin-top: 0.25rem;
      }
      select {
        border: 0;
        background: transparent;
        color: var(--soft);
        font-size: 0.85rem;
        min-height: 2.25rem;
        max-width: 60%;
        margin-left: -0.25rem;
        border-radius: 8px;
        cursor: pointer;
      }
      .grow {
        flex: 1;
      }
    `,
  ];

  constructor() {
    super();
    this.turns = restoreConversation();
    this.draft = '';
  }

  /** After a reload the conversation is there before the models are known. */
  get #canAnswer(): boolean {
    return !this.#running && this.app.model !== undefined;
  }

  get #running(): boolean {
    return this.#abort !== undefined;
  }

  override render() {
    const { chatModels: installed } = this.app;
    return html`
      <div class="log" @scroll=${this.#followIfAtEnd}>
        ${
          this.turns.length === 0
            ? html`<div class="empty">
                <div>
                  <h1>${installed?.length === 0 ? strings.chat.noModel : strings.chat.heading}</h1>
                  <p class="soft">${installed?.length === 0 ? strings.chat.noModelSub : strings.chat.sub}</p>
                  ${installed?.length === 0 ? html`<tabd-pull-list .app=${this.app} suggest></tabd-pull-list>` : nothing}
                </div>
              </div>`
            : html`<div class="turns" aria-live="polite" aria-busy=${this.#running}>
                ${repeat(
                  this.turns,
                  (_, index) => index,
                  (turn, index) =>
                    html`<tabd-message
                      .turn=${turn}
                      .canRetry=${this.#canAnswer && index === this.turns.length - 1 && turn.role === 'assistant'}
                      @retry=${this.#retry}
                    ></tabd-message>`,
                )}
              </div>`
        }
      </div>
      ${installed?.length === 0 ? nothing : this.#composer()}
    `;
  }

  #composer() {
    const { chatModels: installed, model } = this.app;
    return html`<form @submit=${this.#submit}>
        <div class="composer">
          <label class="visually-hidden" for="draft">${strings.chat.placeholder}</label>
          <textarea
            id="draft"
            rows="1"
            placeholder=${strings.chat.placeholder}
            .value=${this.draft}
            @input=${(event: InputEvent) => {
              this.draft = (event.target as HTMLTextAreaElement).value;
            }}
            @keydown=${this.#key}
          ></textarea>
          <div class="row">
            ${
              installed === undefined || installed.length === 0
                ? nothing
                : html`<select
                    aria-label=${strings.chat.model}
                    @change=${(event: Event) => this.app.choose((event.target as HTMLSelectElement).value)}
                  >
                    ${installed.map(
                      ({ name }) => html`<option value=${name} ?selected=${name === model}>${name}</option>`,
                    )}
                  </select>`
            }
            <span class="grow"></span>
            ${
              this.turns.length > 0 && !this.#running
                ? html`<button class="plain" type="button" @click=${this.#fresh}>${strings.chat.fresh}</button>`
                : nothing
            }
            ${
              this.#running
                ? html`<button type="button" @click=${() => this.#abort?.abort()}>${strings.chat.stop}</button>`
                : html`<button class="primary" ?disabled=${this.draft.trim() === '' || model === undefined}>
                    ${strings.chat.send}
                  </button>`
            }
          </div>
        </div>
      </form>`;
  }

  #atEnd = true;
  #followIfAtEnd(event: Event) {
    const log = event.currentTarget as HTMLElement;
    this.#atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  }

  override updated() {
    const log = this.renderRoot.querySelector('.log');
    if (this.#atEnd && log) log.scrollTop = log.scrollHeight;
  }

  #key(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#submit(event);
  }

  #submit(event: Event) {
    event.preventDefault();
    const content = this.draft.trim();
    if (content === '' || !this.#canAnswer) return;
    this.draft = '';
    this.#atEnd = true;
    this.turns = [...this.turns, { role: 'user', content, state: 'done' }];
    void this.#answer();
  }

  #retry() {
    if (!this.#canAnswer) return;
    this.turns = this.turns.slice(0, -1);
    void this.#answer();
  }

  #fresh() {
    this.turns = [];
    keepConversation([]);
    this.renderRoot.querySelector('textarea')?.focus();
  }

  async #answer() {
    const model = this.app.model;
    if (model === undefined) return;
    const history = this.turns
      .filter(({ state, content }) => state !== 'failed' || content !== '')
      .map(({ role, content }): ChatTurn => ({ role, content }));
    const abort = new AbortController();
    this.#abort = abort;
    let answer: ShownTurn = {
      role: 'assistant',
      content: '',
      state: 'running',
      waitingFor: this.app.isLoaded(model) ? strings.chat.reading : strings.chat.loading,
    };
    const show = (change: Partial<ShownTurn>) => {
      answer = { ...answer, ...change };
      this.turns = [...this.turns.filter((turn) => turn.state !== 'running'), answer];
    };
    show({});
    try {
      for await (const line of this.app.api.chat(model, history, abort.signal)) {
        if (line.done) {
          const rate = tokensPerSecond(line.eval_count ?? 0, line.eval_duration ?? 0);
          const device = await this.app.deviceOf(model);
          const cut = line.done_reason === 'length' ? strings.chat.cut : '';
          show({ note: [rate, device, cut].filter(Boolean).join(' · ') });
        } else {
          show({
            content: answer.content + (line.message?.content ?? ''),
            thinking: (answer.thinking ?? '') + (line.message?.thinking ?? ''),
          });
        }
      }
      show({ state: 'done' });
    } catch (error) {
      if (abort.signal.aborted) show({ state: 'stopped', note: strings.chat.stopped });
      else show({ state: 'failed', error: errorText(error) });
    } finally {
      this.#abort = undefined;
      this.requestUpdate();
      keepConversation(this.turns);
      void this.app.refresh();
    }
  }
}

customElements.define('tabd-chat', ChatView);
