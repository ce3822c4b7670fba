import { css, html, LitElement, nothing, type PropertyDeclarations } from 'lit';
import { chatPartStrings } from '../../strings/chat-parts.ts';
import { commonStrings } from '../../strings/common.ts';
import { icon } from '../../ui/icon.ts';
import { controls } from '../../ui/styles/controls.ts';
import { dialogs } from '../../ui/styles/dialogs.ts';
import { lists } from '../../ui/styles/lists.ts';
import { theme } from '../../ui/styles/theme.ts';

const strings = chatPartStrings.folders;

/** A dialog that lists the folders and creates a new one. */
class FolderDialog extends LitElement {
  static override properties: PropertyDeclarations = { chat: {}, folders: {}, current: {} };
  /** The title of the conversation. */
  declare chat: string;
  declare folders: readonly string[];
  declare current: string | undefined;
  /** Called once: with a name, with an empty text for no folder, or with undefined when the dialog is closed. */
  answer: (folder: string | undefined) => void = () => {};

  // It is a child of the document's body, outside of the element that sets the tokens.
  static override styles = [
    theme,
    controls,
    dialogs,
    lists,
    css`
      dialog {
        --width: 26rem;
        width: 100%;
      }
      h2 {
        font-size: 1.05rem;
        overflow-wrap: anywhere;
      }
      ul {
        display: grid;
        gap: 0.15rem;
        max-height: 40dvh;
        margin: 0.75rem -0.6rem 1rem;
        overflow-y: auto;
      }
      li button.plain {
        width: 100%;
        justify-content: flex-start;
        border-radius: var(--radius-sm);
        color: var(--text);
        white-space: normal;
        text-align: left;
        min-height: 2.25rem;
      }
      li svg {
        flex: none;
        color: var(--soft);
      }
      form {
        margin-top: 0.75rem;
        display: flex;
        align-items: end;
        gap: 0.5rem;
      }
      .field {
        flex: 1;
      }
    `,
  ];

  override render() {
    const choice = (folder: string, label: string) =>
      html`<li>
        <button class="plain" aria-pressed=${(this.current ?? '') === folder} @click=${() => this.#close(folder)}>
          ${icon((this.current ?? '') === folder ? 'check' : 'folder')} ${label}
        </button>
      </li>`;
    return html`<dialog
      aria-labelledby="heading"
      @close=${() => this.answer(undefined)}
      @keydown=${(event: Event) => event.stopPropagation()}
    >
      <h2 id="heading">${strings.moveTitle(this.chat)}</h2>
      ${
        this.folders.length > 0
          ? html`<ul>
              ${choice('', strings.none)} ${this.folders.map((folder) => choice(folder, folder))}
            </ul>`
          : nothing
      }
      <form @submit=${this.#create}>
        <label class="field">${strings.create} <input type="text" name="folder" required pattern=".*\\S.*" /></label>
        <button class="primary">${strings.createButton}</button>
      </form>
      <div class="buttons">
        <button class="plain" @click=${() => this.#close(undefined)}>${commonStrings.cancel}</button>
      </div>
    </dialog>`;
  }

  async show(): Promise<void> {
    await this.updateComplete;
    this.renderRoot.querySelector('dialog')!.showModal();
  }

  #create(event: SubmitEvent) {
    event.preventDefault();
    this.#close(String(new FormData(event.target as HTMLFormElement).get('folder')).trim());
  }

  #close(folder: string | undefined) {
    this.answer(folder);
    this.renderRoot.querySelector('dialog')!.close();
  }
}

customElements.define('tabd-folder-dialog', FolderDialog);

/** Asks for a folder. Resolves with an empty text for no folder, and with undefined when the user cancels. */
export function askForFolder(
  chat: string,
  folders: readonly string[],
  current: string | undefined,
): Promise<string | undefined> {
  const dialog = Object.assign(new FolderDialog(), { chat, folders, current });
  document.body.append(dialog);
  void dialog.show();
  return new Promise<string | undefined>((resolve) => {
    dialog.answer = resolve;
  }).finally(() => dialog.remove());
}
