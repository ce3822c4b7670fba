import { css, html, LitElement, nothing, type PropertyDeclarations } from 'lit';
import type { AppState } from '../app-state.ts';
import { appStrings } from '../strings/app.ts';
import { icon } from '../ui/icon.ts';
import { controls } from '../ui/styles/controls.ts';
import { dialogs } from '../ui/styles/dialogs.ts';
import { lists } from '../ui/styles/lists.ts';
import type { View } from '../views.ts';
import { type AppCommand, commandsOf, matchingCommands } from './commands.ts';

const strings = appStrings.palette;
/** The most entries to show. */
const MAX_SHOWN = 60;

/** A dialog that finds views, chats, models and actions by their names. */
export class CommandPalette extends LitElement {
  static override properties: PropertyDeclarations = {
    app: { attribute: false },
    views: { attribute: false },
    query: { state: true },
    chosen: { state: true },
  };
  declare app: AppState;
  declare views: Readonly<Record<string, View>>;
  declare query: string;
  declare chosen: number;

  static override styles = [
    controls,
    lists,
    dialogs,
    css`
      dialog {
        --width: 36rem;
        width: 100%;
        margin-top: 12dvh;
        padding: 0;
        overflow: hidden;
        box-shadow: var(--shadow-md);
      }
      input {
        border: 0;
        border-bottom: 1px solid var(--line);
        border-radius: 0;
        min-height: 3.2rem;
        padding: 0 1.1rem;
        font-size: var(--text-base);
      }
      input:focus-visible {
        outline: none;
        border-bottom-color: var(--accent);
      }
      ul {
        max-height: min(26rem, 55dvh);
        overflow-y: auto;
        padding: 0.4rem;
      }
      .group {
        padding: 0.5rem 0.7rem 0.2rem;
        font-size: var(--text-xs);
        color: var(--soft);
      }
      .command {
        display: flex;
        align-items: center;
        gap: 0.7rem;
        padding: 0.45rem 0.7rem;
        border-radius: var(--radius-sm);
        font-size: var(--text-md);
        cursor: pointer;
      }
      .command span {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .command svg {
        flex: none;
        color: var(--soft);
      }
      .command[aria-selected='true'] {
        background: var(--accent-wash);
      }
      p {
        margin: 0;
        padding: 1.1rem;
      }
    `,
  ];

  constructor() {
    super();
    this.query = '';
    this.chosen = 0;
  }

  async show(): Promise<void> {
    this.query = '';
    this.chosen = 0;
    this.requestUpdate();
    await this.updateComplete;
    const dialog = this.renderRoot.querySelector('dialog');
    if (!dialog || dialog.open) return;
    dialog.showModal();
    const input = this.renderRoot.querySelector('input')!;
    input.value = '';
    input.focus();
  }

  override render() {
    const shown = matchingCommands(commandsOf(this.app, this.views), this.query).slice(0, MAX_SHOWN);
    let group: string | undefined;
    return html`<dialog
      aria-label=${strings.open}
      @click=${(event: Event) => event.target === event.currentTarget && this.#close()}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-autocomplete="list"
        aria-activedescendant=${shown.length > 0 ? `command-${this.chosen}` : nothing}
        aria-label=${strings.placeholder}
        placeholder=${strings.placeholder}
        autocomplete="off"
        spellcheck="false"
        @input=${(event: Event) => {
          this.query = (event.target as HTMLInputElement).value;
          this.chosen = 0;
        }}
        @keydown=${(event: KeyboardEvent) => this.#onKeydown(event, shown)}
      />
      <ul id="commands" role="listbox" aria-label=${strings.open}>
        ${shown.map((command, at) => {
          const head =
            this.query.trim() !== '' || command.group === group
              ? nothing
              : html`<li class="group" role="presentation">${command.group}</li>`;
          group = command.group;
          return html`${head}
            <li
              class="command"
              id="command-${at}"
              role="option"
              aria-selected=${at === this.chosen ? 'true' : 'false'}
              @click=${() => this.#run(command)}
              @pointermove=${() => {
                this.chosen = at;
              }}
            >
              ${icon(command.icon)} <span>${command.label}</span>
            </li>`;
        })}
      </ul>
      ${shown.length === 0 ? html`<p class="soft" role="status">${strings.noResults}</p>` : nothing}
    </dialog>`;
  }

  protected override updated() {
    this.renderRoot.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }

  #onKeydown(event: KeyboardEvent, shown: readonly AppCommand[]) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined && shown.length > 0) {
      event.preventDefault();
      this.chosen = (this.chosen + by + shown.length) % shown.length;
    }
    const command = shown[this.chosen];
    if (event.key === 'Enter' && command && !event.isComposing) {
      event.preventDefault();
      this.#run(command);
    }
  }

  #run(command: AppCommand) {
    this.#close();
    command.run();
  }

  #close() {
    this.renderRoot.querySelector('dialog')?.close();
  }
}

customElements.define('tabd-palette', CommandPalette);
