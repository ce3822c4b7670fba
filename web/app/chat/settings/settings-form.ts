import { css, html, LitElement, nothing, type PropertyDeclarations } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { chatStrings } from '../../strings/chat.ts';
import { chatPartStrings } from '../../strings/chat-parts.ts';
import { controls } from '../../ui/styles/controls.ts';
import type { ChatSettings } from '../conversation.ts';
import { NUMBER_FIELDS, readSettings } from './read-settings.ts';

const strings = chatStrings;

/** Fires `settings` with the valid fields as `ChatSettings` after each input. */
export class SettingsForm extends LitElement {
  static override properties: PropertyDeclarations = {
    capabilities: { attribute: false },
    embeds: { type: Boolean },
    isPreset: { type: Boolean },
    errors: { state: true },
    format: { state: true },
    loads: { state: true },
  };
  /** Those of the model. Undefined shows all fields. */
  declare capabilities: readonly string[] | undefined;
  /** Whether a model can find passages of documents. */
  declare embeds: boolean;
  /** Whether the fields are those of a preset. */
  declare isPreset: boolean;
  declare errors: Record<string, string>;
  declare format: 'text' | 'json' | 'schema';
  declare loads: number;
  #settings: ChatSettings = {};

  static override styles = [
    controls,
    css`
      form {
        display: flex;
        flex-direction: column;
        gap: 1rem;
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
    this.loads = 0;
  }

  /** Shows settings in place of what was entered. */
  load(settings: ChatSettings): void {
    this.#settings = settings;
    this.errors = {};
    const { format } = settings;
    this.format = format === undefined ? 'text' : format === 'json' ? 'json' : 'schema';
    this.loads++;
  }

  get isValid(): boolean {
    return Object.keys(this.errors).length === 0;
  }

  /** Moves the focus to the first field with an error. */
  focusError(): void {
    this.renderRoot.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }

  override render() {
    const settings = this.#settings;
    const can = (what: string) => this.capabilities?.includes(what) ?? true;
    // New fields after each load, because a field that was edited ignores its default.
    return keyed(
      this.loads,
      html`<form @input=${this.#onInput} @submit=${this.#onSubmit}>
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
        ${
          this.embeds || settings.documents
            ? html`${this.#select('documents', chatPartStrings.documents.setting, chatPartStrings.documents.choices, settings.documents ?? '', chatPartStrings.documents.settingHint)}`
            : nothing
        }
        ${this.isPreset ? nothing : this.#remoteImages()}
      </form>`,
    );
  }

  #remoteImages() {
    return html`<div>
      <label class="check">
        <input
          type="checkbox"
          name="remoteImages"
          aria-describedby="images-hint"
          .checked=${this.#settings.remoteImages === true}
        />
        ${strings.remoteImages.label}
      </label>
      <span class="hint" id="images-hint">${strings.remoteImages.hint}</span>
    </div>`;
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

  #select(name: string, label: string, choices: Record<string, string>, chosen: string, hint?: string) {
    return html`<div class="field">
      <label for=${name}>${label}</label>
      <select id=${name} name=${name} aria-describedby=${hint ? `${name}-hint` : nothing}>
        ${Object.entries(choices).map(
          ([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`,
        )}
      </select>
      ${hint ? html`<span class="hint" id="${name}-hint">${hint}</span>` : nothing}
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
    this.dispatchEvent(new CustomEvent<ChatSettings>('settings', { detail: settings }));
  }

  #onSubmit(event: Event) {
    event.preventDefault();
    this.dispatchEvent(new Event('done'));
  }
}

function thinkChoice(think: ChatSettings['think']): string {
  if (think === undefined) return '';
  return typeof think === 'string' ? think : think ? 'on' : 'off';
}

customElements.define('tabd-settings-form', SettingsForm);
