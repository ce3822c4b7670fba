import { html, LitElement, nothing } from 'lit';
import type { AnswerToolCall } from '../api-client.ts';
import type { AppState } from '../app-state.ts';
import { chatStrings } from '../strings/chat.ts';
import { chatPartStrings } from '../strings/chat-parts.ts';
import { tokensPerSecond } from '../ui/format.ts';
import { type IconName, icon } from '../ui/icon.ts';
import { menu, menuStyles } from '../ui/menu.ts';
import { controls } from '../ui/styles/controls.ts';
import type { Turn } from './conversation.ts';
import { Diagrams } from './diagrams/diagrams.ts';
import { imageDataUrl } from './documents/image-files.ts';
import { sourceList, sourceListStyles } from './documents/source-list.ts';
import { messageStyles } from './message-styles.ts';
import './reading/read-aloud-button.ts';
import { readableText } from './reading/readable-text.ts';
import { copyCodeOf, withCopyButtons } from './text/code-blocks.ts';
import { LazyEnrichment } from './text/enrichment.ts';
import type { ImagePolicy } from './text/markdown.ts';

/** Loaded with the first answer, because it is a sixth of the page's size. */
let markdown: typeof import('./text/markdown.ts') | undefined;

const strings = chatStrings;
const partStrings = chatPartStrings;

/** A user's action on a turn. */
export type MessageAction =
  | { kind: 'retry' | 'continue' | 'fork' }
  | { kind: 'retry-with'; model: string }
  | { kind: 'edit' | 'edit-answer'; text: string }
  | { kind: 'result'; call: AnswerToolCall; text: string }
  | { kind: 'version'; step: -1 | 1 };

/** One turn of a conversation. Fires `act` with a `MessageAction`. */
export class MessageItem extends LitElement {
  static override properties = {
    app: { attribute: false },
    turn: { attribute: false },
    own: { attribute: false },
    version: { attribute: false },
    versionCount: { attribute: false },
    models: { attribute: false },
    canAnswer: { attribute: false },
    answeredCalls: { attribute: false },
    remoteImages: { attribute: false },
    copied: { state: true },
    editing: { state: true },
  };
  declare app: AppState;
  declare turn: Turn;
  /** Whether this tab generates the answer. */
  declare own: boolean;
  /** The number of this version, from 1. */
  declare version: number;
  declare versionCount: number;
  /** Names of models that may answer again, next to this answer. */
  declare models: readonly string[];
  declare canAnswer: boolean;
  /** How many tool calls have a result. Undefined when no result can be added. */
  declare answeredCalls: number | undefined;
  /** Whether to load images from other sites. */
  declare remoteImages: boolean;
  declare copied: boolean;
  declare editing: boolean;

  /** Addresses of the remote images that the user loaded. */
  readonly #allowedImages = new Set<string>();
  readonly #images: ImagePolicy = {
    isAllowed: (address) => this.remoteImages || this.#allowedImages.has(address),
    allow: (address) => {
      this.#allowedImages.add(address);
      this.requestUpdate();
    },
  };

  readonly #diagrams = new Diagrams(() => void this.#showDiagram());
  readonly #enrichment = new LazyEnrichment(() => this.requestUpdate());

  static override styles = [controls, menuStyles, sourceListStyles, messageStyles];

  override render() {
    const { turn } = this;
    if (turn.role === 'tool') return this.#toolResult();
    return turn.role === 'user' ? this.#question() : this.#answer();
  }

  #question() {
    const { turn } = this;
    if (this.editing) return this.#editor();
    return html`<div role="group" aria-label=${strings.you}>
      ${
        turn.images?.length
          ? html`<div class="images">
              ${turn.images.map((image, at) => html`<img src=${imageDataUrl(image)} alt=${strings.image(at + 1)} />`)}
            </div>`
          : nothing
      }
      ${
        turn.documents?.length
          ? html`<ul class="documents">
              ${turn.documents.map(({ name }) => html`<li>${icon('file')} ${name}</li>`)}
            </ul>`
          : nothing
      }
      ${turn.content === '' ? nothing : html`<div class="user">${turn.content}</div>`}
      <div class="foot mine num">
        ${this.#copyButton()}
        ${this.canAnswer ? this.#button('pencil', strings.edit, () => this.edit()) : nothing}
        ${this.#versions()}
      </div>
    </div>`;
  }

  #answer() {
    const { turn } = this;
    const running = turn.state === 'running';
    if (this.editing) return this.#editor();
    return html`<div role="group" aria-label=${strings.answer}>
      ${
        turn.thinking
          ? html`<details ?open=${turn.content === '' && running}>
              <summary>${strings.thinking}</summary>
              <div class="thought">${turn.thinking}</div>
            </details>`
          : nothing
      }
      ${
        running && turn.content === ''
          ? turn.thinking
            ? nothing
            : html`<div class="waiting" role="status">${this.#waitingText()}</div>`
          : html`<div class="answer ${running ? 'growing' : ''}">${turn.json ? this.#json(turn.content) : this.#formatted(turn.content)}</div>`
      }
      ${turn.toolCalls?.map((call, place) => this.#call(call, place))}
      ${
        turn.error === undefined
          ? nothing
          : html`<div class="error gone" role="alert">
              ${turn.content === '' ? strings.failed : strings.failedMidway} ${turn.error}
            </div>`
      }
      ${sourceList(turn.sources)} ${this.#ending()}
      ${running ? this.#liveFoot() : this.#foot()}
    </div>`;
  }

  #waitingText(): string {
    if (!this.own) return strings.answersInOtherTab;
    const { waiting, progress = 0 } = this.turn;
    if (waiting === 'queued') return partStrings.compare.queued;
    if (waiting === 'searching') return partStrings.documents.searching(progress);
    return waiting === 'loading' ? strings.loading : strings.reading;
  }

  /** Says why an answer ended early, and offers to continue it. */
  #ending() {
    const { state, content, stats } = this.turn;
    const why =
      state === 'cut'
        ? content === ''
          ? strings.tabClosedEmpty
          : strings.tabClosed
        : state === 'stopped'
          ? content === ''
            ? strings.stoppedEmpty
            : strings.stoppedMidway
          : stats?.atLimit
            ? strings.lengthLimit
            : undefined;
    const isOpen = this.canAnswer && (why !== undefined || state === 'failed');
    if (why === undefined && !isOpen) return nothing;
    return html`<div class="ending" role="status">
      ${why === undefined ? nothing : html`<span>${why}</span>`}
      ${
        isOpen && content !== ''
          ? html`<button class="small" @click=${() => this.#fireAction({ kind: 'continue' })}>
              ${strings.continue}
            </button>`
          : nothing
      }
    </div>`;
  }

  #liveFoot() {
    const { live, model } = this.turn;
    if (!live || live.milliseconds < 500) return nothing;
    const rate = tokensPerSecond(live.tokens, live.milliseconds * 1e6);
    return html`<div class="foot num"><span class="note">${[model, rate].filter(Boolean).join(' · ')}</span></div>`;
  }

  #foot() {
    const { turn } = this;
    return html`<div class="foot num">
      ${turn.content === '' ? nothing : html`${this.#copyButton()} ${this.#readButton()}`}
      ${
        this.canAnswer
          ? html`${turn.content === '' || turn.toolCalls?.length ? nothing : this.#button('pencil', strings.editAnswer, () => this.edit())}
            ${this.#button('refresh', strings.retry, () => this.#fireAction({ kind: 'retry' }))}
            ${this.#otherModels()}
            ${this.#button('branch', strings.branch, () => this.#fireAction({ kind: 'fork' }), strings.branchTitle)}`
          : nothing
      }
      ${this.#versions()}
      <span class="note">${this.#summary()}</span>
    </div>`;
  }

  /** Lets another model answer, next to this answer. */
  #otherModels() {
    const others = this.models.filter((name) => name !== this.turn.model);
    if (others.length === 0) return nothing;
    const entries = others.map((model) => ({
      label: partStrings.compare.retryWith(model),
      act: () => this.#fireAction({ kind: 'retry-with', model }),
    }));
    return menu(partStrings.compare.more, entries, 'compare');
  }

  #button(drawing: IconName, label: string, run: () => void, title = label) {
    return html`<button class="plain round" aria-label=${label} data-tip=${title} @click=${run}>${icon(drawing)}</button>`;
  }

  #summary(): string {
    const { model, stats, edited } = this.turn;
    const rate = stats ? tokensPerSecond(stats.tokens, stats.nanoseconds) : '';
    return [model, rate, stats?.device, edited && strings.edited].filter(Boolean).join(' · ');
  }

  #versions() {
    const { version, versionCount } = this;
    if (versionCount < 2) return nothing;
    const step = (by: -1 | 1, label: string, drawing: 'left' | 'right', disabled: boolean) =>
      html`<button
        class="plain step"
        aria-label=${label}
        ?disabled=${disabled}
        @click=${() => this.#fireAction({ kind: 'version', step: by })}
      >
        ${icon(drawing)}
      </button>`;
    return html`<span class="versions" role="group" aria-label=${strings.version(version, versionCount)}>
      ${step(-1, strings.earlier, 'left', version === 1)}
      <span aria-hidden="true">${version}/${versionCount}</span>
      ${step(1, strings.later, 'right', version === versionCount)}
    </span>`;
  }

  #editor() {
    return html`<form class="edit" @submit=${this.#sendEdit} @keydown=${this.#editKey}>
      <label class="visually-hidden" for="edit">${strings.edit}</label>
      <textarea id="edit" .defaultValue=${this.turn.content}></textarea>
      <div class="buttons">
        <button type="button" class="plain" @click=${this.#cancelEdit}>${strings.cancel}</button>
        <button class="primary">${this.turn.role === 'user' ? strings.saveEdit : strings.save}</button>
      </div>
    </form>`;
  }

  /** Opens the editor of the text. */
  async edit(): Promise<void> {
    this.editing = true;
    await this.updateComplete;
    this.renderRoot.querySelector('textarea')?.focus();
  }

  #cancelEdit() {
    this.editing = false;
  }

  #editKey(event: KeyboardEvent) {
    if (event.key === 'Escape') {
      event.stopPropagation();
      this.#cancelEdit();
    }
    // Enter belongs to the text of an answer.
    const sends = event.key === 'Enter' && !event.isComposing && !event.shiftKey;
    if (sends && (this.turn.role === 'user' || event.ctrlKey || event.metaKey)) this.#sendEdit(event);
  }

  #sendEdit(event: Event) {
    event.preventDefault();
    const text = this.renderRoot.querySelector('textarea')?.value.trim() ?? '';
    if (text === '' && !this.turn.images?.length) return;
    this.editing = false;
    this.#fireAction({ kind: this.turn.role === 'user' ? 'edit' : 'edit-answer', text });
  }

  #call(call: AnswerToolCall, place: number) {
    const { name, arguments: args } = call.function;
    return html`<div class="tool card">
      <div class="name">${icon('wrench')} ${strings.toolCall} <strong>${name}</strong></div>
      ${this.#code(JSON.stringify(args, null, 2))}
      ${
        this.answeredCalls !== undefined && place >= this.answeredCalls
          ? html`<form @submit=${(event: Event) => this.#giveResult(event, call)}>
              <textarea aria-label=${strings.resultLabel(name)} placeholder=${strings.resultLabel(name)}></textarea>
              <button>${strings.sendResult}</button>
            </form>`
          : nothing
      }
    </div>`;
  }

  #giveResult(event: Event, call: AnswerToolCall) {
    event.preventDefault();
    const area = (event.currentTarget as HTMLFormElement).querySelector('textarea');
    this.#fireAction({ kind: 'result', call, text: area?.value ?? '' });
  }

  #toolResult() {
    return html`<div class="tool card">
      <div class="name">${icon('wrench')} ${strings.resultOf} <strong>${this.turn.toolName}</strong></div>
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
      <div class="head">
        <span></span>
        <button class="plain" @click=${(event: Event) => copyCodeOf(event.currentTarget as HTMLElement)}>
          ${strings.copyCode}
        </button>
      </div>
      <pre tabindex="0">${text}</pre>
    </div>`;
  }

  /** The text as HTML; plain until the Markdown module is loaded. */
  #formatted(text: string) {
    if (markdown) return this.#codeBoxes(markdown.renderMarkdown(text, this.#images, this.#enrichment));
    void import('./text/markdown.ts').then((module) => {
      markdown = module;
      this.requestUpdate();
    });
    return html`<div class="unformatted">${text}</div>`;
  }

  #copyButton() {
    return this.#button(this.copied ? 'check' : 'copy', this.copied ? strings.copied : strings.copy, () =>
      this.#copy(),
    );
  }

  #readButton() {
    const text = () => readableText(this.renderRoot.querySelector('.answer')!);
    return html`<tabd-read-aloud .app=${this.app} .text=${text}></tabd-read-aloud>`;
  }

  async #copy() {
    await navigator.clipboard.writeText(this.turn.content);
    this.copied = true;
    setTimeout(() => {
      this.copied = false;
    }, 1500);
  }

  /** The buttons of the text are new after each update: the focus moves to the same one. */
  async #showDiagram() {
    const root = this.renderRoot as ShadowRoot;
    const focused = (root.activeElement as HTMLElement | null)?.dataset.diagram;
    this.requestUpdate();
    await this.updateComplete;
    if (focused === undefined) return;
    const buttons = [...root.querySelectorAll<HTMLElement>('button[data-diagram]')];
    buttons.find(({ dataset }) => dataset.diagram === focused)?.focus();
  }

  /** Diagrams can be drawn when their code is complete. */
  #codeBoxes(fragment: DocumentFragment) {
    return withCopyButtons(fragment, this.turn.state === 'running' ? undefined : this.#diagrams);
  }

  #fireAction(action: MessageAction) {
    this.dispatchEvent(new CustomEvent<MessageAction>('act', { detail: action }));
  }
}

customElements.define('tabd-message', MessageItem);
