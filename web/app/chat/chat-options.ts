import { css, html, nothing } from 'lit';
import { chatStrings } from '../strings/chat.ts';
import { AppElement } from '../ui/app-element.ts';
import { icon } from '../ui/icon.ts';
import { controls } from '../ui/styles/controls.ts';
import { dialogs } from '../ui/styles/dialogs.ts';
import type { ChatSettings } from './conversation.ts';
import { NUMBER_FIELDS, readSettings } from './read-settings.ts';

const strings = chatStrings;

/** The settings of the shown conversation, in a sheet at the side. Each change is stored at once. */
export class ChatOptions extends AppElement {
  static override properties = { ...AppElement.properties, errors: { state: true }, format: { state: true } };
  declare errors: Record<string, string>;
  declare format: 'text' | 'json' | 'schema';
  #settings: ChatSettings = {};

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
      form {
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
      h3 {
        margin: 0.5rem 0 -0.4rem;
      }
      textarea {
        min-height: 4.5rem;
      }
      .setting {
        grid-template-columns: minmax(0, 1fr) 8rem;
      }
      form .buttons {
        justify-content: flex-start;
        margin-top: 0.5rem;
      }
      .setting > label,
      .field > label {
        font-size: 0.9rem;
        font-weight: 550;
        color: var(--text);
      }
    `,
  ];

  constructor() {
    super();
    this.errors = {};
    this.format = 'text';
  }

  /** Opens the sheet with the current settings. */
  async show(): Promise<void> {
    this.#load(this.app.chats.conversation.settings);
    this.requestUpdate();
    await this.updateComplete;
    this.renderRoot.querySelector('dialog')?.showModal();
  }

  #load(settings: ChatSettings) {
    this.#settings = settings;
    this.errors = {};
    const { format } = settings;
    this.format = format === undefined ? 'text' : format === 'json' ? 'json' : 'schema';
  }

  override render() {
    const settings = this.#settings;
    const { chats } = this.app;
    const can = (what: string) =>
      chats.model !== undefined && (this.app.capabilities(chats.model)?.includes(what) ?? false);
    return html`<dialog class="sheet" aria-labelledby="heading">
      <header>
        <h2 id="heading">${strings.options}</h2>
        <button class="plain round" aria-label=${strings.close} @click=${this.#close}>${icon('close')}</button>
      </header>
      <form @input=${this.#onInput} @submit=${this.#onSubmit}>
        <div class="field">
          <label for="system">${strings.system}</label>
          <textarea id="system" name="system" placeholder=${strings.systemHint} .value=${settings.system ?? ''}></textarea>
        </div>
        <h3>${strings.parameters}</h3>
        ${(Object.keys(NUMBER_FIELDS) as (keyof typeof NUMBER_FIELDS)[]).map((name) => this.#number(name))}
        ${
          can('thinking')
            ? this.#select('think', strings.thinkLevel, strings.thinkLevels, thinkChoice(settings.think))
            : nothing
        }
        ${this.#select('format', strings.format, strings.formatChoices, this.format)}
        ${
          this.format === 'schema'
            ? this.#code(
                'schema',
                strings.schema,
                typeof settings.format === 'object' ? settings.format : undefined,
              )
            : nothing
        }
        ${can('tools') || settings.tools ? this.#code('tools', strings.tools, settings.tools, strings.toolsHint) : nothing}
        ${settings.tools && !can('tools') ? html`<p class="wrong">${strings.toolsUnsupported}</p>` : nothing}
        <div>
          <label class="check">
            <input
              type="checkbox"
              name="remoteImages"
              aria-describedby="images-hint"
              .checked=${settings.remoteImages === true}
            />
            ${strings.remoteImages.label}
          </label>
          <span class="hint" id="images-hint">${strings.remoteImages.hint}</span>
        </div>
        <div class="buttons">
          <button type="button" class="primary" @click=${this.#close}>${strings.done}</button>
          <button type="button" @click=${this.#reset}>${strings.reset}</button>
        </div>
      </form>
    </dialog>`;
  }

  #number(name: keyof typeof NUMBER_FIELDS) {
    const { label, hint } = NUMBER_FIELDS[name];
    return html`<div>
      <div class="setting">
        <label for=${name}>${label}</label>
        <input
          id=${name}
          name=${name}
          inputmode="decimal"
          autocomplete="off"
          placeholder=${strings.modelDefault}
          aria-describedby="${name}-hint ${name}-wrong"
          aria-invalid=${this.errors[name] ? 'true' : nothing}
          .value=${String(this.#settings[name] ?? '')}
        />
        <span class="hint" id="${name}-hint">${hint}</span>
      </div>
      ${this.#fieldError(name)}
    </div>`;
  }

  #select(name: string, label: string, choices: Record<string, string>, chosen: string) {
    return html`<div class="field">
      <label for=${name}>${label}</label>
      <select id=${name} name=${name}>
        ${Object.entries(choices).map(
          ([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`,
        )}
      </select>
    </div>`;
  }

  #code(name: string, label: string, value: unknown, hint?: string) {
    return html`<div class="field">
      <label for=${name}>${label}</label>
      <textarea
        id=${name}
        name=${name}
        class="mono"
        spellcheck="false"
        aria-describedby="${name}-wrong"
        aria-invalid=${this.errors[name] ? 'true' : nothing}
        .value=${value === undefined ? '' : JSON.stringify(value, null, 2)}
      ></textarea>
      ${hint ? html`<span class="hint">${hint}</span>` : nothing} ${this.#fieldError(name)}
    </div>`;
  }

  #fieldError(name: string) {
    const errorText = this.errors[name];
    return html`<div id="${name}-wrong" role="status">${errorText ? html`<p class="wrong">${errorText}</p>` : nothing}</div>`;
  }

  #onInput(event: Event) {
    const form = event.currentTarget as HTMLFormElement;
    const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    const { settings, errors } = readSettings(fields);
    // The form hides fields that this model does not support. Their settings stay for other models.
    const { think, tools } = this.#settings;
    if (!form.elements.namedItem('think') && think !== undefined) settings.think = think;
    if (!form.elements.namedItem('tools') && tools !== undefined) settings.tools = tools;
    this.errors = errors;
    this.format = fields.format as typeof this.format;
    void this.app.chats.update({ settings });
  }

  #reset() {
    this.#load({});
    this.renderRoot.querySelector('form')?.reset();
    void this.app.chats.update({ settings: {} });
    this.requestUpdate();
  }

  #onSubmit(event: Event) {
    event.preventDefault();
    this.#close();
  }

  #close() {
    this.renderRoot.querySelector('dialog')?.close();
  }
}

function thinkChoice(think: ChatSettings['think']): string {
  if (think === undefined) return '';
  return typeof think === 'string' ? think : think ? 'on' : 'off';
}

customElements.define('tabd-chat-options', ChatOptions);
