import { css, html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { errorMessage } from '#core/base';
import { chatStrings } from '../strings/chat.ts';
import { AppElement } from '../ui/app-element.ts';
import { icon } from '../ui/icon.ts';
import { pickFiles } from '../ui/pick-files.ts';
import { controls } from '../ui/styles/controls.ts';
import { lists } from '../ui/styles/lists.ts';
import type { Conversation } from './conversation.ts';

const strings = chatStrings;

/** The list of conversations, with search, rename, delete, import and export. */
export class ChatList extends AppElement {
  static override properties = {
    ...AppElement.properties,
    query: { state: true },
    foundIds: { state: true },
    renamingId: { state: true },
    status: { state: true },
    failure: { state: true },
  };
  declare query: string;
  declare foundIds: Set<string> | undefined;
  declare renamingId: string | undefined;
  declare status: string | undefined;
  declare failure: string | undefined;

  static override styles = [
    controls,
    lists,
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
      li button {
        --round: 2rem;
      }
      @media (hover: hover) {
        li:not(:hover, :focus-within, .current) button {
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
  }

  override render() {
    const { chats } = this.app;
    const { list, failure } = chats;
    const shown = this.query.trim() === '' ? list : list?.filter(({ id }) => this.foundIds?.has(id));
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
        ${this.failure ? html`<div class="error" role="alert">${this.failure}</div>` : nothing}
        ${this.status ? html`<p class="soft small" role="status">${this.status}</p>` : nothing}
        ${
          shown?.length === 0
            ? html`<p class="soft small">${this.query.trim() === '' ? strings.empty : strings.noResults}</p>`
            : html`<ul>
                ${repeat(
                  shown ?? [],
                  ({ id }) => id,
                  (conversation) => this.#row(conversation),
                )}
              </ul>`
        }
      </div>
      <footer>
        <button class="plain" @click=${this.#import}>${strings.import}</button>
        ${
          list?.length
            ? html`<button class="plain" @click=${() => this.#export()}>${strings.exportAll}</button>`
            : nothing
        }
      </footer>
    `;
  }

  #row({ id, title }: Conversation) {
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
      <button class="plain round" aria-label=${strings.rename(named)} @click=${() => this.#startRename(id)}>
        ${icon('pencil')}
      </button>
      <button class="plain round" aria-label=${strings.delete(named)} @click=${() => this.#delete(id, named)}>
        ${icon('trash')}
      </button>
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
    if (confirm(strings.confirmDelete(title))) void this.app.chats.delete(id);
  }

  async #export() {
    const { exportChats: saveChats } = await import('./chat-file.ts');
    await this.#attempt(() => saveChats(this.app.chats));
  }

  #import() {
    pickFiles('.json,application/json', async ([file]) => {
      const { parseChats: readChats } = await import('./chat-file.ts');
      await this.#attempt(async () => {
        const storedIds = new Set(this.app.chats.list?.map(({ id }) => id));
        const count = await this.app.chats.importChats(readChats(await file!.text(), storedIds));
        this.status = strings.imported(count);
      });
    });
  }

  async #attempt(work: () => Promise<void>) {
    this.failure = undefined;
    this.status = undefined;
    try {
      await work();
    } catch (error) {
      this.failure = errorMessage(error);
    }
  }
}

customElements.define('tabd-chat-list', ChatList);
