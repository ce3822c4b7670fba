import { css, html, nothing } from 'lit';
import { chatStrings } from '../../strings/chat.ts';
import { chatPartStrings } from '../../strings/chat-parts.ts';
import { AppElement } from '../../ui/app-element.ts';
import { icon } from '../../ui/icon.ts';
import { controls } from '../../ui/styles/controls.ts';
import { dialogs } from '../../ui/styles/dialogs.ts';
import { askForText } from '../../ui/text-dialog.ts';
import type { ChatSettings } from '../conversation.ts';
import { presetOf, readPresets, savePreset, withPreset } from '../presets/presets.ts';
import './settings-form.ts';
import type { SettingsForm } from './settings-form.ts';

const strings = chatStrings;
const presetStrings = chatPartStrings.presets;

/** The settings of the shown conversation, in a sheet at the side. Each change is stored at once. */
export class ChatOptions extends AppElement {
  /** The preset that was chosen last, whose name is offered when changed settings are saved. */
  #lastPreset = '';

  static override styles = [
    controls,
    dialogs,
    css`
      dialog.sheet {
        left: auto;
        right: 0;
        width: min(24rem, 100vw);
        border-left: 1px solid var(--line);
        background: var(--bg);
      }
      .content {
        display: flex;
        flex-direction: column;
        gap: 1rem;
        padding: 1rem 1.25rem 2rem;
      }
      header {
        position: sticky;
        top: 0;
        padding: 0.75rem 0.75rem 0.25rem 1.25rem;
        background: var(--bg);
        z-index: 1;
      }
      h2 {
        font-size: 1.1rem;
      }
      .content .buttons {
        justify-content: flex-start;
        margin-top: 0.5rem;
      }
      .preset {
        display: grid;
        grid-template-columns: minmax(0, 1fr) max-content;
        gap: 0.4rem;
        align-items: center;
      }
      .preset > .hint {
        grid-column: 1 / -1;
      }
      .preset > label {
        grid-column: 1 / -1;
        font-size: 0.9rem;
        font-weight: 550;
      }
    `,
  ];

  /** Opens the sheet with the current settings. */
  async show(): Promise<void> {
    await this.updateComplete;
    this.#form.load(this.app.chats.conversation.settings);
    await this.#form.updateComplete;
    this.renderRoot.querySelector('dialog')?.showModal();
  }

  get #form(): SettingsForm {
    return this.renderRoot.querySelector<SettingsForm>('tabd-settings-form')!;
  }

  override render() {
    const { chats } = this.app;
    return html`<dialog class="sheet" aria-labelledby="heading">
      <header>
        <h2 id="heading">${strings.options}</h2>
        <button class="plain round" aria-label=${strings.close} @click=${this.#close}>${icon('close')}</button>
      </header>
      <div class="content">
        ${this.#presets()}
        <tabd-settings-form
          .capabilities=${this.app.capabilities(chats.model ?? '') ?? []}
          .embeds=${this.app.embeddingModel !== undefined}
          @settings=${({ detail }: CustomEvent<ChatSettings>) => void chats.update({ settings: detail })}
          @done=${this.#close}
        ></tabd-settings-form>
        <div class="buttons">
          <button class="primary" @click=${this.#close}>${strings.done}</button>
          <button @click=${() => this.#change({})}>${strings.reset}</button>
        </div>
      </div>
    </dialog>`;
  }

  #presets() {
    const presets = readPresets(localStorage);
    const { settings } = this.app.chats.conversation;
    const chosen = presetOf(presets, settings);
    const isEmpty = Object.keys(settings).every((name) => name === 'remoteImages');
    return html`<div class="preset">
      <label for="preset">${presetStrings.label}</label>
      <select id="preset" ?disabled=${presets.length === 0} @change=${this.#choose}>
        <option value="" .selected=${!chosen}>${isEmpty ? presetStrings.none : presetStrings.custom}</option>
        ${presets.map(({ name }) => html`<option value=${name} .selected=${name === chosen?.name}>${name}</option>`)}
      </select>
      <button ?disabled=${isEmpty || chosen !== undefined} @click=${this.#save}>${presetStrings.save}</button>
      <span class="hint">${presetStrings.hint}${presets.length > 0 ? html` <a href="#/settings/presets">${presetStrings.manage}</a>` : nothing}</span>
    </div>`;
  }

  #choose(event: Event) {
    const name = (event.target as HTMLSelectElement).value;
    const preset = readPresets(localStorage).find((stored) => stored.name === name);
    this.#lastPreset = name;
    this.#change(withPreset(this.app.chats.conversation.settings, preset?.settings ?? {}));
  }

  async #save() {
    const text = await askForText(presetStrings.nameOf, this.#lastPreset);
    const name = text?.trim();
    if (!name) return;
    savePreset(localStorage, { name, settings: this.app.chats.conversation.settings });
    this.#lastPreset = name;
    this.app.changed();
  }

  /** Shows and stores other settings. */
  #change(settings: ChatSettings) {
    this.#form.load(settings);
    void this.app.chats.update({ settings });
  }

  #close() {
    this.renderRoot.querySelector('dialog')?.close();
  }
}

customElements.define('tabd-chat-options', ChatOptions);
