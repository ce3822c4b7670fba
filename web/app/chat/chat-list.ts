import { css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { errorMessage } from '#core/base';
import { chatStrings } from '../strings/chat.ts';
import { commonStrings } from '../strings/common.ts';
import { AppElement } from '../ui/app-element.ts';
import { menu, menuStyles } from '../ui/menu.ts';
import { pickFiles } from '../ui/pick-files.ts';
import { controls } from '../ui/styles/controls.ts';
import { lists } from '../ui/styles/lists.ts';
import { ToastWatcher } from '../ui/toast-watcher.ts';
import { toasts } from '../ui/toasts.ts';
import { chatGroups } from './chat-groups.ts';
import type { Conversation } from './conversation.ts';

const strings = chatStrings;

/** The list of conversations, with search, rename, delete, import and export. */
export class ChatList extends AppElement {
  static override properties = {
    ...AppElement.properties,
    query: { state: true },
    foundIds: { state: true },
    renamingId: { state: true },
    failure: { state: true },
  };
  declare query: string;
  declare foundIds: Set<string> | undefined;
  declare renamingId: string | undefined;
  declare failure: string | undefined;

  static override styles = [
    controls,
    lists,
    menuStyles,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      .search {
        padding: 0 0.75rem 0.5rem;
      }
      .list {
        flex: 1;
        min-height: 0;
        overflow-y: auto;
        padding: 0.1rem 0.5rem 0.5rem;
      }
      li {
        position: relative;
        display: flex;
        align-items: center;
        border-radius: 10px;
      }
      li:hover,
      li:focus-within {
        background: var(--accent-wash);
      }
      li.current {
        background: var(--surface);
        box-shadow: 0 0 0 1px var(--line);
      }
      a {
        flex: 1;
        min-width: 0;
        padding: 0.45rem 0.6rem;
        color: var(--text);
        text-decoration: none;
        font-size: 0.9rem;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        border-radius: 10px;
      }
      .busy {
        display: inline-block;
        width: 0.5rem;
        height: 0.5rem;
        border-radius: 50%;
        background: var(--accent);
        margin-right: 0.4rem;
      }
      h3 {
        margin: 0.6rem 0.6rem 0.2rem;
        font-size: var(--text-xs);
        font-weight: 500;
      }
      .row-menu {
        padding-right: 0.15rem;
      }
      @media (hover: hover) {
        li:not(:hover, :focus-within, .current) .row-menu {
          position: absolute;
          opacity: 0;
          right: 0;
          pointer-events: none;
        }
      }
      p {
        padding: 0.5rem 0.75rem;
        margin: 0;
      }
      footer {
        display: flex;
        border-top: 1px solid var(--line);
        padding: 0.4rem 0.5rem;
      }
    `,
  ];

  constructor() {
    super();
    this.query = '';
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
            : chatGroups(shown ?? []).map(
                ({ label, conversations }) => html`<h3>${label}</h3>
                  <ul>
                    ${repeat(
                      conversations,
                      ({ id }) => id,
                      (conversation) => this.#row(conversation),
                    )}
                  </ul>`,
              )
        }
      </div>
      <footer>
        <button class="plain" @click=${this.#import}>${strings.import}</button>
        ${
          remaining?.length
            ? html`<button class="plain" @click=${() => this.#export()}>${strings.exportAll}</button>`
            : nothing
        }
      </footer>
    `;
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

  #row({ id, title, pinned = false }: Conversation) {
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
    return html`<li class=${current ? 'current' : ''}>
      <a href="#/chat/${id}" @click=${() => void chats.open(id)} aria-current=${current ? 'true' : nothing} title=${named}>
        ${chats.isBusy(id) ? html`<span class="busy" role="img" aria-label=${strings.answering}></span>` : nothing}${named}
      </a>
      <span class="row-menu">
        ${menu(strings.more(named), [
          { label: pinned ? strings.unpin : strings.pin, act: () => void chats.pin(id, !pinned) },
          { label: strings.rename, act: () => void this.#startRename(id) },
          { label: strings.exportMarkdown, act: () => void this.#exportOne(id, 'markdown') },
          { label: strings.exportJson, act: () => void this.#exportOne(id, 'json') },
          { label: strings.delete, danger: true, act: () => this.#delete(id, named) },
        ])}
      </span>
    </li>`;
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
    const { exportChats: saveChats } = await import('./chat-file.ts');
    await this.#attempt(() => saveChats(this.app.chats));
  }

  async #exportOne(id: string, format: 'json' | 'markdown') {
    const { exportChat } = await import('./chat-file.ts');
    await this.#attempt(() => exportChat(this.app.chats, id, format));
  }

  #import() {
    pickFiles('.json,application/json', async ([file]) => {
      const { parseChats: readChats } = await import('./chat-file.ts');
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
