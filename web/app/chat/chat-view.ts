import { html, nothing, type PropertyValues } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { ModelListEntry } from '../api-client.ts';
import { canChat } from '../models/capabilities.ts';
import { chatStrings } from '../strings/chat.ts';
import { AppElement } from '../ui/app-element.ts';
import { icon } from '../ui/icon.ts';
import { memoizeLast } from '../ui/memoize-last.ts';
import { controls } from '../ui/styles/controls.ts';
import { dialogs } from '../ui/styles/dialogs.ts';
import '../models/pull-list.ts';
import { chatViewStyles } from './chat-view-styles.ts';
import type { ChatComposer } from './composer.ts';
import { comparedAnswers, groupByParent, siblings, type Turn } from './conversation.ts';
import type { ChatList } from './list/chat-list.ts';
import type { MessageAction, MessageItem } from './message-item.ts';
import type { ChatOptions } from './settings/chat-options.ts';

const strings = chatStrings;
const NONE: never[] = [];

/** The list of conversations and the open conversation. */
export class ChatView extends AppElement {
  static override properties = {
    ...AppElement.properties,
    conversationId: { attribute: false },
    notFound: { state: true },
    isDropping: { state: true },
  };
  /** The id in the address. Empty shows the conversation that this tab opened last. */
  declare conversationId: string;
  /** Whether no conversation has this id. */
  declare notFound: boolean;
  declare isDropping: boolean;
  #opening = false;

  readonly #narrow = matchMedia('(max-width: 56rem)');
  readonly #resized = () => this.requestUpdate();

  static override styles = [controls, dialogs, chatViewStyles];

  constructor() {
    super();
    this.conversationId = '';
  }

  override connectedCallback() {
    super.connectedCallback();
    this.#narrow.addEventListener('change', this.#resized);
    addEventListener('keydown', this.#onKeydown);
    addEventListener('tabd-focus-composer', this.#focusComposer);
    // The message field has the focus after navigation with a pointer, unless a phone would show its keyboard.
    if (!matchMedia('(pointer: coarse)').matches && this.app.chatModels?.length)
      void this.updateComplete.then(this.#focusComposer);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#narrow.removeEventListener('change', this.#resized);
    removeEventListener('keydown', this.#onKeydown);
    removeEventListener('tabd-focus-composer', this.#focusComposer);
  }

  readonly #focusComposer = () =>
    void this.#loadParts().then(async () => {
      await this.updateComplete;
      this.#composer?.focusText();
    });

  /** Escape stops the answer, unless it closes something else. */
  readonly #onKeydown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
    const path = event.composedPath() as Partial<HTMLElement>[];
    if (path.some(({ localName }) => localName === 'dialog' || localName === 'details')) return;
    const { chats } = this.app;
    if (chats.runningTurn && chats.isOwn(chats.runningTurn)) chats.stop(chats.runningTurn);
  };

  override willUpdate(changes: PropertyValues) {
    if (this.app.chatModels?.length || this.app.chats.list?.length) void this.#loadParts();
    if (changes.has('conversationId')) void this.#open();
  }

  async #open() {
    this.notFound = false;
    if (this.conversationId === '') return;
    this.#opening = true;
    this.notFound = !(await this.app.chats.open(this.conversationId));
    this.#opening = false;
    if (this.notFound) this.app.chats.startNew();
    this.#isAtEnd = true;
    this.#drawer?.close();
  }

  #partsLoad: Promise<unknown> | undefined;
  #isLoaded = false;

  /** Loads the elements of conversations, which a first visit does not need. */
  #loadParts(): Promise<unknown> {
    this.#partsLoad ??= import('./chat-parts.ts').then(() => {
      this.#isLoaded = true;
      this.requestUpdate();
    });
    return this.#partsLoad;
  }

  /** Imports conversations into a browser that has none. */
  async #import() {
    await this.#loadParts();
    this.renderRoot.querySelector<ChatList>('tabd-chat-list')?.import();
  }

  get #drawer() {
    return this.renderRoot.querySelector<HTMLDialogElement>('dialog');
  }

  override render() {
    const { chatModels: installed, chats } = this.app;
    const narrow = this.#narrow.matches;
    const fresh = html`<button
      class=${narrow ? 'plain' : 'new'}
      aria-keyshortcuts="Control+Shift+O"
      data-tip=${strings.newChat}
      @click=${this.#startNew}
    >
      ${icon('plus')} ${strings.newChat}
    </button>`;
    return html`
      ${
        narrow
          ? html`<dialog class="sheet" aria-label=${strings.chats} @click=${this.#onBackdropClick}>
              <header>
                <h2>${strings.chats}</h2>
                <button class="plain round" aria-label=${strings.close} @click=${() => this.#drawer?.close()}>
                  ${icon('close')}
                </button>
              </header>
              <tabd-chat-list .app=${this.app} @click=${this.#onListClick}></tabd-chat-list>
            </dialog>`
          : html`<aside aria-label=${strings.chats}>
              ${fresh}
              <tabd-chat-list .app=${this.app}></tabd-chat-list>
              ${this.#isLoaded ? nothing : html`<button class="plain" @click=${this.#import}>${strings.import}</button>`}
            </aside>`
      }
      <section
        class="talk"
        aria-label=${chats.conversation.title || strings.newChat}
        @dragover=${this.#onDragOver}
        @dragleave=${() => {
          this.isDropping = false;
        }}
        @drop=${this.#onDrop}
      >
        ${
          narrow
            ? html`<div class="strip">
                <button class="plain" @click=${() => this.#drawer?.showModal()}>${icon('list')} ${strings.chats}</button>
                <span class="title">${chats.conversation.title}</span>
                ${fresh}
              </div>`
            : nothing
        }
        <div class="log" tabindex="-1" @scroll=${this.#followIfAtEnd}>${this.#log()}</div>
        ${
          installed?.length === 0 || (installed === undefined && !chats.list?.length)
            ? nothing
            : html`<tabd-composer
                .app=${this.app}
                ?hasOptions=${Object.keys(chats.conversation.settings).length > 0}
                @sent=${this.#onSent}
                @edit-last=${this.#editLast}
                @options=${this.#openOptions}
              ></tabd-composer>`
        }
        ${this.isDropping ? html`<div class="drop"></div>` : nothing}
      </section>
    `;
  }

  #log() {
    const { chatModels: installed, chats } = this.app;
    if (this.notFound) return html`<div class="empty"><p class="soft">${strings.notFound}</p></div>`;
    if (chats.list === undefined || chats.turns === undefined) return nothing;
    const shown = chats.shownTurns;
    const running = shown.some(({ state }) => state === 'running');
    const canAnswer = !running && chats.model !== undefined;
    if (shown.length > 0)
      return html`<div class="turns" aria-live="polite" aria-busy=${running}>
        ${repeat(
          shown,
          // A pair keeps its elements when the other answer is chosen.
          (turn) => comparedAnswers(this.#versionsOf(turn), turn)?.[0].id ?? turn.id,
          (turn) => this.#turnOrPair(turn, shown, canAnswer),
        )}
      </div>`;
    // Before the models are known the view stays empty, so that its content does not jump.
    if (installed === undefined && this.app.failure === undefined) return nothing;
    const none = installed?.length === 0;
    if (none && !this.app.suggestionsLoaded) return nothing;
    return html`<div class="empty">
      <div>
        <h1>${none ? strings.noModel : strings.heading}</h1>
        ${none ? html`<p>${strings.welcome}</p>` : nothing}
        <p class="soft">${none ? strings.downloadHint : this.#privacyNote}</p>
        ${none ? html`<tabd-pull-list .app=${this.app} suggest chats></tabd-pull-list>` : nothing}
        ${
          chats.model === undefined
            ? nothing
            : html`${this.#starters()}<tabd-new-chat .app=${this.app}></tabd-new-chat>`
        }
      </div>
    </div>`;
  }

  get #privacyNote(): string {
    const { server, remoteHost } = this.app;
    return server === 'computer' && remoteHost ? strings.privacyNoteRemote(remoteHost) : strings.privacyNote;
  }

  /** Example messages that are sent with one click. */
  #starters() {
    return html`<div class="starters" role="group" aria-label=${strings.startersLabel}>
      ${strings.starters.map(
        (text) => html`<button
          @click=${() => {
            this.#onSent();
            void this.app.chats.send(text);
            this.#focusComposer();
          }}
        >
          ${text}
        </button>`,
      )}
    </div>`;
  }

  /** The same array until the models change, so that no turn renders again. */
  readonly #modelNames = memoizeLast((installed: readonly ModelListEntry[] = []) =>
    installed.filter(canChat).map(({ name }) => name),
  );
  /** Grouped once for each change, because long chats are rendered with every token. */
  readonly #byParent = memoizeLast(groupByParent);

  #versionsOf({ parent }: Turn): readonly Turn[] {
    return this.#byParent(this.app.chats.turns ?? NONE).get(parent) ?? NONE;
  }

  #turnOrPair(turn: Turn, shown: readonly Turn[], canAnswer: boolean) {
    const { chats } = this.app;
    const pair = comparedAnswers(this.#versionsOf(turn), turn);
    if (!pair) return this.#turn(turn, shown, canAnswer);
    return html`<tabd-answer-pair
      .pair=${pair}
      .used=${turn.id}
      .canChoose=${canAnswer}
      @use=${({ detail }: CustomEvent<Turn>) => void chats.showBranch(detail)}
      @show-one=${() => void chats.closeComparison(turn)}
    >
      ${pair.map((answer, side) => this.#turn(answer, answer === turn ? shown : [], canAnswer, side))}
    </tabd-answer-pair>`;
  }

  /** @param side the place of one of two answers */
  #turn(turn: Turn, shown: readonly Turn[], canAnswer: boolean, side?: number) {
    const { chats } = this.app;
    const all = side === undefined ? siblings(this.#versionsOf(turn), turn) : [turn];
    const later = turn.toolCalls ? shown.slice(shown.indexOf(turn) + 1) : [];
    const open =
      turn.state === 'done' &&
      turn.toolCalls &&
      shown.includes(turn) &&
      later.every(({ role }) => role === 'tool');
    const answered = open ? later.length : undefined;
    // A component per turn: each token of an answer renders one turn only.
    return html`<tabd-message
      slot=${side ?? nothing}
      .app=${this.app}
      .turn=${turn}
      .models=${side === undefined && turn.role === 'assistant' ? this.#modelNames(this.app.installed) : NONE}
      .own=${chats.isOwn(turn)}
      .version=${all.findIndex(({ id }) => id === turn.id) + 1}
      .versionCount=${all.length}
      .canAnswer=${canAnswer}
      .answeredCalls=${answered}
      .remoteImages=${chats.conversation.settings.remoteImages === true}
      @act=${(event: CustomEvent<MessageAction>) => this.#onAction(turn, event.detail, all)}
    ></tabd-message>`;
  }

  async #onAction(turn: Turn, action: MessageAction, versions: readonly Turn[]) {
    const { chats } = this.app;
    switch (action.kind) {
      case 'retry':
        this.#isAtEnd = true;
        return chats.retry(turn);
      case 'retry-with':
        this.#isAtEnd = true;
        return chats.retryWith(turn, action.model);
      case 'continue':
        this.#isAtEnd = true;
        return chats.continue(turn);
      case 'edit-answer':
        return chats.editAnswer(turn, action.text);
      case 'edit':
        return chats.edit(turn, action.text);
      case 'result':
        return chats.sendToolResult(turn, action.call, action.text);
      case 'version': {
        const next = versions[versions.findIndex(({ id }) => id === turn.id) + action.step];
        return next && chats.showBranch(next);
      }
      case 'fork':
        location.hash = `#/chat/${await chats.fork(turn)}`;
    }
  }

  #isAtEnd = true;
  #followIfAtEnd(event: Event) {
    const log = event.currentTarget as HTMLElement;
    this.#isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  }

  override async updated() {
    const log = this.renderRoot.querySelector('.log');
    const last = [...this.renderRoot.querySelectorAll<MessageItem>('tabd-message')].at(-1);
    this.#syncAddress();
    await last?.updateComplete;
    // A conversation without messages stays scrolled to the top.
    if (this.#isAtEnd && log && last) log.scrollTop = log.scrollHeight;
  }

  /** Sets the address to the shown conversation, for the browser history, and removes that of a deleted one. */
  #syncAddress() {
    const { chats } = this.app;
    if (this.notFound || chats.list === undefined) return;
    const bare = location.hash === '#/' || location.hash === '';
    if (!chats.isNew && bare) history.replaceState(null, '', `#/chat/${chats.conversation.id}`);
    else if (chats.isNew && location.hash.startsWith('#/chat/') && !this.#opening) location.replace('#/');
  }

  get #composer() {
    return this.renderRoot.querySelector<ChatComposer>('tabd-composer');
  }

  #startNew() {
    this.notFound = false;
    this.app.chats.startNew();
    location.hash = '#/';
    this.#drawer?.close();
    this.#focusComposer();
  }

  /** Opens the editor of the last message of the user. */
  #editLast() {
    const items = [...this.renderRoot.querySelectorAll<MessageItem>('tabd-message')];
    const last = items.findLast(({ turn, canAnswer }) => turn.role === 'user' && canAnswer);
    void last?.edit();
  }

  #onSent() {
    this.#isAtEnd = true;
    this.notFound = false;
  }

  async #openOptions() {
    await import('./chat-more.ts');
    let sheet = this.renderRoot.querySelector<ChatOptions>('tabd-chat-options');
    if (!sheet) {
      sheet = document.createElement('tabd-chat-options') as ChatOptions;
      sheet.app = this.app;
      this.renderRoot.append(sheet);
    }
    await sheet.show();
  }

  /** Closes the drawer on a click outside it. */
  #onBackdropClick(event: Event) {
    if (event.target === this.#drawer) this.#drawer?.close();
  }

  #onListClick(event: Event) {
    const link = event.composedPath().some((target) => (target as Element).localName === 'a');
    if (link) this.#drawer?.close();
  }

  #onDragOver(event: DragEvent) {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.isDropping = true;
  }

  #onDrop(event: DragEvent) {
    if (!this.isDropping) return;
    event.preventDefault();
    this.isDropping = false;
    void this.#composer?.attach(event.dataTransfer?.files ?? []);
  }
}

customElements.define('tabd-chat', ChatView);
