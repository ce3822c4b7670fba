import { html, LitElement, nothing } from 'lit';
import type { ToolCall } from '../api-client.ts';
import { strings } from '../strings.ts';
import { tokensPerSecond } from '../ui/format.ts';
import { icon } from '../ui/icon.ts';
import { controls } from '../ui/theme.ts';
import type { Turn } from './conversation.ts';
import { imageUrl } from './image-files.ts';
import type { ImageRules } from './markdown.ts';
import { messageStyles } from './message-styles.ts';

/** Comes with the first answer, not with the page: it is a sixth of what the page loads. */
let markdown: typeof import('./markdown.ts') | undefined;

const words = strings.chat;

/** What a person does with a turn. */
export type MessageAction =
  | { do: 'retry' | 'fork' }
  | { do: 'edit'; text: string }
  | { do: 'result'; call: ToolCall; text: string }
  | { do: 'version'; step: -1 | 1 };

/** One turn of a conversation. Fires `act` with a `MessageAction`. */
export class MessageItem extends LitElement {
  static override properties = {
    turn: { attribute: false },
    mine: { attribute: false },
    at: { attribute: false },
    of: { attribute: false },
    canAnswer: { attribute: false },
    answered: { attribute: false },
    remoteImages: { attribute: false },
    copied: { state: true },
    editing: { state: true },
  };
  declare turn: Turn;
  /** This tab makes the answer. */
  declare mine: boolean;
  /** Which of how many turns in this place, from 1. */
  declare at: number;
  declare of: number;
  declare canAnswer: boolean;
  /** How many of its calls have their result; undefined where none is to be given any more. */
  declare answered: number | undefined;
  /** Images of other sites are loaded. */
  declare remoteImages: boolean;
  declare copied: boolean;
  declare editing: boolean;

  /** Addresses of images that were asked for one by one. */
  readonly #wanted = new Set<string>();
  readonly #images: ImageRules = {
    loads: (address) => this.remoteImages || this.#wanted.has(address),
    show: (address) => {
      this.#wanted.add(address);
      this.requestUpdate();
    },
  };

  static override styles = [controls, messageStyles];

  override render() {
    const { turn } = this;
    if (turn.role === 'tool') return this.#toolResult();
    return turn.role === 'user' ? this.#question() : this.#answer();
  }

  #question() {
    const { turn } = this;
    if (this.editing) return this.#editor();
    return html`<div role="group" aria-label=${words.you}>
      ${
        turn.images?.length
          ? html`<div class="images">
              ${turn.images.map((image, at) => html`<img src=${imageUrl(image)} alt=${words.image(at + 1)} />`)}
            </div>`
          : nothing
      }
      ${turn.content === '' ? nothing : html`<div class="user">${turn.content}</div>`}
      <div class="foot mine num">
        ${this.#copyButton()}
        ${this.canAnswer ? html`<button class="plain" @click=${this.#edit}>${words.edit}</button>` : nothing}
        ${this.#versions()}
      </div>
    </div>`;
  }

  #answer() {
    const { turn } = this;
    const running = turn.state === 'running';
    return html`<div role="group" aria-label=${words.answer}>
      ${
        turn.thinking
          ? html`<details ?open=${turn.content === '' && running}>
              <summary>${words.thinking}</summary>
              <div class="thought">${turn.thinking}</div>
            </details>`
          : nothing
      }
      ${
        running && turn.content === ''
          ? turn.thinking
            ? nothing
            : html`<div class="waiting" role="status">${this.#waitsFor()}</div>`
          : html`<div class="answer">${turn.json ? this.#json(turn.content) : this.#formatted(turn.content)}</div>`
      }
      ${turn.toolCalls?.map((call, place) => this.#call(call, place))}
      ${
        turn.error === undefined
          ? nothing
          : html`<div class="error gone" role="alert">
              ${turn.content === '' ? words.failed : words.broken} ${turn.error}
            </div>`
      }
      ${turn.state === 'cut' ? html`<div class="notice gone" role="status">${words.gone}</div>` : nothing}
      ${running ? nothing : this.#foot()}
    </div>`;
  }

  #waitsFor(): string {
    if (!this.mine) return words.elsewhere;
    return this.turn.waiting === 'loading' ? words.loading : words.reading;
  }

  #foot() {
    const { turn } = this;
    return html`<div class="foot num">
      ${turn.content === '' ? nothing : this.#copyButton()}
      ${
        this.canAnswer
          ? html`<button class="plain" @click=${() => this.#act({ do: 'retry' })}>${words.retry}</button>
              <button class="plain" title=${words.forkTitle} @click=${() => this.#act({ do: 'fork' })}>
                ${words.fork}
              </button>`
          : nothing
      }
      ${this.#versions()}
      <span class="note">${this.#note()}</span>
    </div>`;
  }

  #note(): string {
    const { model, stats, state } = this.turn;
    const rate = stats ? tokensPerSecond(stats.tokens, stats.nanoseconds) : '';
    const ended = state === 'stopped' ? words.stopped : stats?.atLimit ? words.cut : '';
    return [model, rate, stats?.device, ended].filter(Boolean).join(' · ');
  }

  #versions() {
    const { at, of } = this;
    if (of < 2) return nothing;
    const step = (by: -1 | 1, label: string, drawing: 'left' | 'right', off: boolean) =>
      html`<button
        class="plain step"
        aria-label=${label}
        ?disabled=${off}
        @click=${() => this.#act({ do: 'version', step: by })}
      >
        ${icon(drawing)}
      </button>`;
    return html`<span class="versions" role="group" aria-label=${words.version(at, of)}>
      ${step(-1, words.earlier, 'left', at === 1)}
      <span aria-hidden="true">${at}/${of}</span>
      ${step(1, words.later, 'right', at === of)}
    </span>`;
  }

  #editor() {
    return html`<form class="edit" @submit=${this.#sendEdit} @keydown=${this.#editKey}>
      <label class="visually-hidden" for="edit">${words.edit}</label>
      <textarea id="edit" .defaultValue=${this.turn.content}></textarea>
      <div class="buttons">
        <button type="button" class="plain" @click=${this.#cancelEdit}>${words.cancel}</button>
        <button class="primary">${words.saveEdit}</button>
      </div>
    </form>`;
  }

  async #edit() {
    this.editing = true;
    await this.updateComplete;
    this.renderRoot.querySelector('textarea')?.focus();
  }

  #cancelEdit() {
    this.editing = false;
  }

  #editKey(event: KeyboardEvent) {
    if (event.key === 'Escape') this.#cancelEdit();
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) this.#sendEdit(event);
  }

  #sendEdit(event: Event) {
    event.preventDefault();
    const text = this.renderRoot.querySelector('textarea')?.value.trim() ?? '';
    if (text === '' && !this.turn.images?.length) return;
    this.editing = false;
    this.#act({ do: 'edit', text });
  }

  #call(call: ToolCall, place: number) {
    const { name, arguments: given } = call.function;
    return html`<div class="tool card">
      <div class="name">${icon('wrench')} ${words.call} <strong>${name}</strong></div>
      ${this.#code(JSON.stringify(given, null, 2))}
      ${
        this.answered !== undefined && place >= this.answered
          ? html`<form @submit=${(event: Event) => this.#giveResult(event, call)}>
              <textarea aria-label=${words.resultLabel(name)} placeholder=${words.resultLabel(name)}></textarea>
              <button>${words.giveResult}</button>
            </form>`
          : nothing
      }
    </div>`;
  }

  #giveResult(event: Event, call: ToolCall) {
    event.preventDefault();
    const area = (event.currentTarget as HTMLFormElement).querySelector('textarea');
    this.#act({ do: 'result', call, text: area?.value ?? '' });
  }

  #toolResult() {
    return html`<div class="tool card">
      <div class="name">${icon('wrench')} ${words.result} <strong>${this.turn.toolName}</strong></div>
      ${this.#code(this.turn.content)}
    </div>`;
  }

  #json(text: string) {
    try {
      return this.#code(JSON.stringify(JSON.parse(text), null, 2));
    } catch {
      return this.#code(text);
    }
  }

  #code(text: string) {
    return html`<div class="code">
      <pre tabindex="0">${text}</pre>
      <button class="plain" @click=${(event: Event) => copyBeside(event.currentTarget as HTMLElement)}>
        ${words.copyCode}
      </button>
    </div>`;
  }

  /** As plain text until Markdown can be read. */
  #formatted(text: string) {
    if (markdown) return withCopyButtons(markdown.renderMarkdown(text, this.#images));
    void import('./markdown.ts').then((module) => {
      markdown = module;
      this.requestUpdate();
    });
    return html`<div class="unformatted">${text}</div>`;
  }

  #copyButton() {
    return html`<button class="plain" @click=${this.#copy}>${this.copied ? words.copied : words.copy}</button>`;
  }

  async #copy() {
    await navigator.clipboard.writeText(this.turn.content);
    this.copied = true;
    setTimeout(() => {
      this.copied = false;
    }, 1500);
  }

  #act(action: MessageAction) {
    this.dispatchEvent(new CustomEvent<MessageAction>('act', { detail: action }));
  }
}

function withCopyButtons(fragment: DocumentFragment): DocumentFragment {
  for (const block of fragment.querySelectorAll('pre')) {
    const box = document.createElement('div');
    box.className = 'code';
    const button = document.createElement('button');
    button.className = 'plain';
    button.textContent = words.copyCode;
    button.onclick = () => copyBeside(button);
    block.tabIndex = 0;
    block.replaceWith(box);
    box.append(block, button);
  }
  return fragment;
}

async function copyBeside(button: HTMLElement): Promise<void> {
  await navigator.clipboard.writeText(button.parentElement?.querySelector('pre')?.textContent ?? '');
  const before = button.textContent;
  button.textContent = words.copied;
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
}

customElements.define('tabd-message', MessageItem);
