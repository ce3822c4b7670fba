/** The presets in the settings view: a list with a dialog that edits one. */
import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { chatPartStrings } from '../../strings/chat-parts.ts';
import { commonStrings } from '../../strings/common.ts';
import { AppElement } from '../../ui/app-element.ts';
import { icon } from '../../ui/icon.ts';
import { controls } from '../../ui/styles/controls.ts';
import { dialogs } from '../../ui/styles/dialogs.ts';
import { lists } from '../../ui/styles/lists.ts';
import { ToastWatcher } from '../../ui/toast-watcher.ts';
import { toasts } from '../../ui/toasts.ts';
import type { ChatSettings } from '../conversation.ts';
import '../settings/settings-form.ts';
import type { SettingsForm } from '../settings/settings-form.ts';
import { deletePreset, type Preset, readPresets, savePreset } from './presets.ts';

const strings = chatPartStrings.presets;

export class PresetList extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    edited: { state: true },
    nameMissing: { state: true },
  };
  /** The preset that the dialog edits, as it is stored. A new one has no name. */
  declare edited: Preset | undefined;
  declare nameMissing: boolean;
  #settings: ChatSettings = {};

  static override styles = [
    controls,
    dialogs,
    lists,
    css`
      ul {
        margin-bottom: 0.9rem;
      }
      li {
        padding: 0.5rem 0;
        border-bottom: 1px solid var(--line);
      }
      .row > div {
        overflow: hidden;
      }
      .system {
        display: block;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      dialog {
        --width: 34rem;
        width: 100%;
        max-height: calc(100dvh - 2rem);
      }
      header {
        margin-bottom: 1rem;
      }
      h3 {
        flex: 1;
        margin: 0;
        font-size: 1.1rem;
        color: var(--text);
      }
      .name {
        margin-bottom: 1rem;
      }
      .buttons {
        position: sticky;
        bottom: -1.4rem;
        margin-bottom: -1.4rem;
        padding: 0.75rem 0 1.4rem;
        background: var(--raised);
      }
    `,
  ];

  constructor() {
    super();
    this.nameMissing = false;
    new ToastWatcher(this);
  }

  override render() {
    const presets = readPresets(localStorage).filter(({ name }) => !toasts.isDeleted(toastId(name)));
    return html`
      ${presets.length === 0 ? html`<p class="soft small">${strings.empty}</p>` : html`<ul>${presets.map((preset) => this.#row(preset))}</ul>`}
      <button @click=${() => this.#open({ name: '', settings: {} })}>${icon('plus')} ${strings.add}</button>
      ${this.#dialog()}
    `;
  }

  #row(preset: Preset) {
    const { name, settings } = preset;
    const { system, ...options } = settings;
    const number = Object.keys(options).length;
    return html`<li class="row">
      <div>
        <strong>${name}</strong>
        ${number > 0 ? html`<span class="soft small">${strings.options(number)}</span>` : nothing}
        <span class="system soft small">${system ?? strings.noSystem}</span>
      </div>
      <button class="plain round" aria-label=${strings.edit(name)} data-tip=${commonStrings.edit} @click=${() => this.#open(preset)}>
        ${icon('pencil')}
      </button>
      <button class="plain round" aria-label=${strings.delete(name)} data-tip=${commonStrings.delete} @click=${() => this.#delete(name)}>
        ${icon('trash')}
      </button>
    </li>`;
  }

  #dialog() {
    const { edited } = this;
    if (!edited) return nothing;
    return html`<dialog aria-labelledby="heading" @close=${this.#onClose}>
      <header>
        <h3 id="heading">${edited.name === '' ? strings.add : strings.edit(edited.name)}</h3>
        <button class="plain round" aria-label=${commonStrings.close} @click=${this.#close}>${icon('close')}</button>
      </header>
      <label class="field name">
        ${strings.name}
        <input
          type="text"
          name="name"
          aria-invalid=${this.nameMissing ? 'true' : nothing}
          aria-describedby="name-wrong"
          .value=${edited.name}
          @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && this.#save()}
        />
      </label>
      <p class="wrong" id="name-wrong" role=${this.nameMissing ? 'alert' : nothing} ?hidden=${!this.nameMissing}>${strings.nameNeeded}</p>
      <tabd-settings-form
        isPreset
        .embeds=${true}
        @settings=${({ detail }: CustomEvent<ChatSettings>) => {
          this.#settings = detail;
        }}
        @done=${this.#save}
      ></tabd-settings-form>
      <div class="buttons">
        <button class="plain" @click=${this.#close}>${commonStrings.cancel}</button>
        <button class="primary" @click=${this.#save}>${commonStrings.save}</button>
      </div>
    </dialog>`;
  }

  async #open(preset: Preset) {
    this.edited = preset;
    this.nameMissing = false;
    this.#settings = preset.settings;
    await this.updateComplete;
    this.renderRoot.querySelector<SettingsForm>('tabd-settings-form')?.load(preset.settings);
    this.renderRoot.querySelector('dialog')?.showModal();
  }

  #save() {
    const form = this.renderRoot.querySelector<SettingsForm>('tabd-settings-form');
    const field = this.renderRoot.querySelector<HTMLInputElement>('input[name=name]');
    const name = field?.value.trim() ?? '';
    this.nameMissing = name === '';
    if (this.nameMissing) return field?.focus();
    if (!form?.isValid) return form?.focusError();
    savePreset(localStorage, { name, settings: this.#settings }, this.edited?.name);
    this.#close();
    this.app.changed();
  }

  #delete(name: string) {
    const remove = () => {
      deletePreset(localStorage, name);
      this.app.changed();
    };
    toasts.deleteLater(toastId(name), { text: strings.deleted(name), undo: commonStrings.undo }, remove);
  }

  #close() {
    this.renderRoot.querySelector('dialog')?.close();
  }

  #onClose() {
    this.edited = undefined;
  }
}

const toastId = (name: string) => `preset ${name}`;

customElements.define('tabd-preset-list', PresetList);
