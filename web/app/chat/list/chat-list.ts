import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { errorMessage } from '#core/base';
import { chatStrings } from '../../strings/chat.ts';
import { chatPartStrings } from '../../strings/chat-parts.ts';
import { commonStrings } from '../../strings/common.ts';
import { AppElement } from '../../ui/app-element.ts';
import { icon } from '../../ui/icon.ts';
import { menu, menuStyles } from '../../ui/menu.ts';
import { pickFiles } from '../../ui/pick-files.ts';
import { controls } from '../../ui/styles/controls.ts';
import { lists } from '../../ui/styles/lists.ts';
import { askForText } from '../../ui/text-dialog.ts';
import { ToastWatcher } from '../../ui/toast-watcher.ts';
import { toasts } from '../../ui/toasts.ts';
import type { Conversation } from '../conversation.ts';
import { type ChatGroup, chatGroups, foldersOf } from './chat-groups.ts';
import { chatListStyles } from './chat-list-styles.ts';
import { closedFolders, storeClosedFolders } from './closed-folders.ts';

const strings = chatStrings;
const folderStrings = chatPartStrings.folders;
/** The type of a dragged conversation. */
const DRAGGED = 'text/x-tabd-chat';

/** The list of conversations, with search, rename, delete, import and export. */
export class ChatList extends AppElement {
  static override properties = {
    ...AppElement.properties,
    query: { state: true },
    foundIds: { state: true },
    renamingId: { state: true },
    failure: { state: true },
    closed: { state: true },
  };
  declare query: string;
  declare foundIds: Set<string> | undefined;
  declare renamingId: string | undefined;
  declare failure: string | undefined;
  declare closed: Set<string>;

  static override styles = [controls, lists, menuStyles, chatListStyles];

  constructor() {
    super();
    this.query = '';
    this.closed = closedFolders(localStorage);
    new ToastWatcher(this);
  }

  override render() {
    const { chats } = this.app;
    const { list, failure } = chats;
    const remaining = list?.filter(({ id }) => !toasts.isDeleted(id));
    const shown =
      this.query.trim() === '' ? remaining : remaining?.filter(({ id }) => this.foundIds?.has(id));
    return html`
      <div class="search" role="search">
        <input
          class="pill"
          type="search"
          aria-label=${strings.search}
          placeholder=${strings.search}
          .value=${this.query}
          @input=${this.#search}
        />
      </div>
      <div class="list">
        ${failure ? html`<div class="error" role="alert">${strings.cannotSave} ${failure}</div>` : nothing}
        ${this.failure ? this.#failureBox(this.failure) : nothing}
        ${
          shown?.length === 0
            ? html`<p class="soft small">${this.query.trim() === '' ? strings.empty : strings.noResults}</p>`
            : chatGroups(shown ?? []).map((group) => this.#group(group))
        }
      </div>
      <footer>
        <button class="plain" @click=${this.import}>${strings.import}</button>
        ${
          remaining?.length
            ? html`<button class="plain" @click=${() => this.#export()}>${strings.exportAll}</button>`
            : nothing
        }
      </footer>
    `;
  }

  #group({ label, folder, conversations }: ChatGroup) {
    // A search shows what it found, also in closed folders.
    const isClosed = folder !== undefined && this.query.trim() === '' && this.closed.has(folder);
    return html`<div @dragover=${this.#onDragOver} @drop=${(event: DragEvent) => this.#onDrop(event, folder)}>
      ${folder === undefined ? html`<h3>${label}</h3>` : this.#folder(folder, conversations, isClosed)}
      ${
        isClosed
          ? nothing
          : html`<ul class=${folder === undefined ? '' : 'inner'}>
              ${repeat(
                conversations,
                ({ id }) => id,
                (conversation) => this.#row(conversation),
              )}
            </ul>`
      }
    </div>`;
  }

  #folder(folder: string, conversations: readonly Conversation[], isClosed: boolean) {
    return html`<div class="folder">
      <h3>
        <button class="plain" aria-expanded=${!isClosed} @click=${() => this.#toggle(folder)}>
          ${icon('folder')} <span>${folder}</span> <span class="num">${conversations.length}</span>
        </button>
      </h3>
      <span class="row-menu">
        ${menu(folderStrings.more(folder), [
          { label: folderStrings.newChat, act: () => this.#startIn(folder) },
          { label: folderStrings.rename, act: () => void this.#renameFolder(folder) },
          { label: folderStrings.dissolve, act: () => void this.#moveAll(folder, undefined) },
        ])}
      </span>
    </div>`;
  }

  #failureBox(failure: string) {
    return html`<div class="error" role="alert">
      ${failure}
      <button
        class="plain small"
        @click=${() => {
          this.failure = undefined;
        }}
      >
        ${strings.dismiss}
      </button>
    </div>`;
  }

  #row({ id, title, folder, pinned = false }: Conversation) {
    const { chats } = this.app;
    const named = title || strings.untitled;
    if (this.renamingId === id) {
      return html`<li>
        <input
          class="pill"
          aria-label=${strings.newName}
          .defaultValue=${title}
          @keydown=${(event: KeyboardEvent) => this.#onRenameKey(event, id)}
          @blur=${(event: FocusEvent) => this.#rename(event, id)}
        />
      </li>`;
    }
    const current = !chats.isNew && chats.conversation.id === id;
    return html`<li
      class=${current ? 'current' : ''}
      @dragstart=${(event: DragEvent) => event.dataTransfer?.setData(DRAGGED, id)}
    >
      <a href="#/chat/${id}" @click=${() => void chats.open(id)} aria-current=${current ? 'true' : nothing} data-tip=${named}>
        ${chats.isBusy(id) ? html`<span class="busy" role="img" aria-label=${strings.answering}></span>` : nothing}${named}
      </a>
      <span class="row-menu">
        ${menu(strings.more(named), [
          { label: pinned ? strings.unpin : strings.pin, act: () => void chats.pin(id, !pinned) },
          { label: folderStrings.move, act: () => void this.#move(id, named, folder) },
          { label: strings.rename, act: () => void this.#startRename(id) },
          { label: strings.exportMarkdown, act: () => void this.#exportOne(id, 'markdown') },
          { label: strings.exportJson, act: () => void this.#exportOne(id, 'json') },
          { label: strings.delete, danger: true, act: () => this.#delete(id, named) },
        ])}
      </span>
    </li>`;
  }

  #toggle(folder: string) {
    const closed = new Set(this.closed);
    if (!closed.delete(folder)) closed.add(folder);
    this.closed = closed;
    storeClosedFolders(localStorage, closed);
  }

  #startIn(folder: string) {
    this.app.chats.startNew(folder);
    location.hash = '#/';
    dispatchEvent(new Event('tabd-focus-composer'));
  }

  async #move(id: string, title: string, current: string | undefined) {
    const { chats } = this.app;
    const { askForFolder } = await import('../chat-more.ts');
    const folder = await askForFolder(title, foldersOf(chats.list ?? []), current);
    if (folder !== undefined) await chats.move([id], folder === '' ? undefined : folder);
  }

  async #renameFolder(folder: string) {
    const name = (await askForText(folderStrings.newName, folder))?.trim();
    if (name) await this.#moveAll(folder, name);
  }

  async #moveAll(from: string, to: string | undefined) {
    const { chats } = this.app;
    const ids = (chats.list ?? []).filter(({ folder }) => folder === from).map(({ id }) => id);
    await chats.move(ids, to);
    if (to !== undefined) return;
    const undo = { label: commonStrings.undo, run: () => void chats.move(ids, from) };
    toasts.show({ text: folderStrings.dissolved(from), action: undo });
  }

  #onDragOver(event: DragEvent) {
    if (event.dataTransfer?.types.includes(DRAGGED)) event.preventDefault();
  }

  #onDrop(event: DragEvent, folder: string | undefined) {
    const id = event.dataTransfer?.getData(DRAGGED);
    if (id) void this.app.chats.move([id], folder);
  }

  async #search(event: Event) {
    const query = (event.target as HTMLInputElement).value;
    this.query = query;
    try {
      const ids = await this.app.chats.store.search(query);
      if (query === this.query) this.foundIds = ids;
    } catch (error) {
      this.failure = errorMessage(error);
    }
  }

  async #startRename(id: string) {
    this.renamingId = id;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLInputElement>('li input')?.select();
  }

  #onRenameKey(event: KeyboardEvent, id: string) {
    if (event.key === 'Enter') this.#rename(event, id);
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    event.preventDefault();
    this.renamingId = undefined;
  }

  #rename(event: Event, id: string) {
    if (this.renamingId !== id) return;
    this.renamingId = undefined;
    void this.app.chats.rename(id, (event.target as HTMLInputElement).value);
  }

  #delete(id: string, title: string) {
    const { chats } = this.app;
    if (chats.conversation.id === id) {
      chats.startNew();
      location.hash = '#/';
    }
    toasts.deleteLater(id, { text: strings.deleted(title), undo: commonStrings.undo }, () =>
      chats.delete(id),
    );
  }

  async #export() {
    const { exportChats: saveChats } = await import('../chat-data.ts');
    await this.#attempt(() => saveChats(this.app.chats));
  }

  async #exportOne(id: string, format: 'json' | 'markdown') {
    const { exportChat } = await import('../chat-data.ts');
    await this.#attempt(() => exportChat(this.app.chats, id, format));
  }

  /** Lets the user choose an export file, and stores its conversations. */
  import(): void {
    pickFiles('.json,application/json', async ([file]) => {
      const { parseChats: readChats } = await import('../chat-data.ts');
      await this.#attempt(async () => {
        const storedIds = new Set(this.app.chats.list?.map(({ id }) => id));
        const count = await this.app.chats.importChats(readChats(await file!.text(), storedIds));
        toasts.show({ text: strings.imported(count) });
      });
    });
  }

  async #attempt(work: () => Promise<void>) {
    this.failure = undefined;
    try {
      await work();
    } catch (error) {
      this.failure = errorMessage(error);
    }
  }
}

customElements.define('tabd-chat-list', ChatList);
