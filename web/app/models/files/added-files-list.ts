import { css, html, nothing } from 'lit';
import { modelFileStrings as strings } from '../../strings/model-files.ts';
import { AppElement } from '../../ui/app-element.ts';
import { bytes } from '../../ui/format.ts';
import { pickFiles } from '../../ui/pick-files.ts';
import { controls } from '../../ui/styles/controls.ts';
import { lists } from '../../ui/styles/lists.ts';
import { type AddedFile, sizeOf } from './added-files.ts';

const ACCEPTED = '.safetensors,.sft,.ckpt,.pt,.pt2,.pth,.bin,.pkl,.onnx,.gguf';

/** The files of models that are being added, and the button to choose more. */
export class AddedFilesList extends AppElement {
  static override styles = [
    controls,
    lists,
    css`
      :host {
        display: block;
      }
      li {
        padding: 0.75rem 0;
        border-top: 1px solid var(--line);
      }
      li:first-child {
        border-top: 0;
      }
      .name {
        overflow-wrap: anywhere;
      }
      progress {
        width: 100%;
        height: 6px;
        margin: 0.4rem 0;
      }
      form {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
        margin-top: 0.4rem;
      }
      select {
        flex: 1 1 12rem;
        width: auto;
        min-width: 0;
      }
      .error {
        margin-top: 0.4rem;
        overflow-wrap: anywhere;
      }
    `,
  ];

  override render() {
    const { list } = this.app.addedFiles;
    return html`<p class="soft small">${strings.intro}</p>
      <button @click=${() => pickFiles(ACCEPTED, (files) => void this.app.addedFiles.add(files), { multiple: true })}>
        ${strings.choose}
      </button>
      <ul>
        ${list.map((added) => this.#item(added))}
      </ul>`;
  }

  #item(added: AddedFile) {
    const { file, state } = added;
    const isEnded = state === 'done' || state === 'failed';
    return html`<li>
      <div class="row">
        <div>
          <strong class="name">${file.name}</strong> <span class="soft small num">${bytes(sizeOf(added))}</span>
        </div>
        <button
          class="plain"
          aria-label=${isEnded ? strings.dismissOf(file.name) : strings.cancelOf(file.name)}
          @click=${() => this.app.addedFiles.remove(added)}
        >
          ${isEnded ? strings.dismiss : strings.cancel}
        </button>
      </div>
      ${this.#state(added)}
    </li>`;
  }

  #state(added: AddedFile) {
    const { state, found, folder = '', file, completed, error } = added;
    if (state === 'failed') return html`<div class="error" role="alert">${error}</div>`;
    if (state === 'asking') return this.#question(added);
    const text =
      state === 'checking'
        ? strings.checking
        : state === 'copying'
          ? `${strings.adding(folder)} · ${strings.amount(bytes(completed), bytes(sizeOf(added)))}`
          : found.kind
            ? strings.done(found.kind, folder)
            : strings.doneUnclear(folder);
    return html`${
      state === 'copying'
        ? html`<progress aria-label=${file.name} max=${sizeOf(added) || 1} value=${completed}></progress>`
        : nothing
    }<span class="soft small num" role="status">${text}</span>`;
  }

  #question(added: AddedFile) {
    const { file, found } = added;
    const label = (folder: string) => {
      const about = strings.folders[folder];
      return about === undefined ? folder : `${folder}: ${about}`;
    };
    const question = found.isLanguageModel ? strings.languageQuestion : strings.question;
    return html`<span class="soft small">${question}</span>
      <form @submit=${(event: SubmitEvent) => this.#choose(event, added)}>
        <select name="folder" aria-label=${strings.folderOf(file.name)}>
          ${found.folders?.map((folder) => html`<option value=${folder}>${label(folder)}</option>`)}
        </select>
        <button class="primary">${strings.add}</button>
      </form>`;
  }

  #choose(event: SubmitEvent, added: AddedFile) {
    event.preventDefault();
    const folder = String(new FormData(event.currentTarget as HTMLFormElement).get('folder'));
    void this.app.addedFiles.choose(added, folder);
  }
}

customElements.define('tabd-added-files', AddedFilesList);
