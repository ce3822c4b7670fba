import { css, html, nothing } from 'lit';
import type { InstalledModel, ShownModel } from '../api-client.ts';
import { strings } from '../strings.ts';
import { AppElement } from '../ui/app-element.ts';
import { errorText } from '../ui/error-text.ts';
import { bytes } from '../ui/format.ts';
import { controls, scrolled } from '../ui/theme.ts';
import './hub-search.ts';
import './loaded-models.ts';
import './model-details.ts';
import './pull-list.ts';
import './storage-card.ts';
import { canChat } from './capabilities.ts';
import { readSurroundings, type Surroundings } from './resources.ts';

const words = strings.models;

/** What is installed and loaded, what fits, getting more, and the room they take. */
export class ModelsView extends AppElement {
  static override properties = {
    ...AppElement.properties,
    around: { state: true },
    shown: { state: true },
  };
  declare around: Surroundings | undefined;
  /** Details by model, of those that are opened. */
  declare shown: Record<string, ShownModel>;

  static override styles = [
    controls,
    scrolled,
    css`
      ul {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      li {
        padding: 0.75rem 0;
        border-top: 1px solid var(--line);
      }
      li:first-child {
        border-top: 0;
      }
      .row {
        display: flex;
        align-items: center;
        flex-wrap: wrap;
        gap: 0.25rem 0.75rem;
      }
      .row > div {
        flex: 1 1 14rem;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .buttons {
        display: flex;
        align-items: center;
        margin-left: auto;
      }
    `,
  ];

  constructor() {
    super();
    this.shown = {};
  }

  override connectedCallback() {
    super.connectedCallback();
    void this.#look();
  }

  /** What is told of the device is told of this browser. */
  async #look() {
    if (this.app.server === 'tab') this.around = await readSurroundings();
  }

  override render() {
    const { installed, failure } = this.app;
    return html`<div class="view">
      <h1>${words.heading}</h1>
      ${failure === undefined ? nothing : html`<div class="error" role="alert">${failure}</div>`}
      <h2>${words.loaded}</h2>
      <tabd-loaded-models
        .app=${this.app}
        @unload=${(event: CustomEvent<string>) => this.#then(this.app.api.unload(event.detail))}
      ></tabd-loaded-models>
      <h2>${words.installed}</h2>
      ${installed?.length === 0 ? html`<p class="soft">${words.none}</p>` : nothing}
      <ul>
        ${installed?.map((model) => this.#model(model))}
      </ul>
      <h2>${words.add}</h2>
      <tabd-pull-list .app=${this.app} .around=${this.around} suggest></tabd-pull-list>
      <tabd-hub-search .app=${this.app} .around=${this.around}></tabd-hub-search>
      ${
        this.around
          ? html`<h2>${words.storage.heading}</h2>
              <tabd-storage .app=${this.app} .storage=${this.around.storage} @asked=${this.#look}></tabd-storage>`
          : nothing
      }
    </div>`;
  }

  #model(model: InstalledModel) {
    const { name, size, details } = model;
    const shown = this.shown[name];
    return html`<li>
      <div class="row">
        <div>
          <strong>${name}</strong><br />
          <span class="soft small num"
            >${[details.parameter_size, details.quantization_level, bytes(size)].filter(Boolean).join(' · ')}</span
          >
        </div>
        <span class="buttons">
          <button
            class="plain"
            aria-label=${words.detailsOf(name)}
            aria-expanded=${shown !== undefined}
            @click=${() => this.#details(name)}
          >
            ${words.details}
          </button>
          <button class="plain" aria-label="${words.delete} ${name}" @click=${() => this.#delete(name)}>
            ${words.delete}
          </button>
          ${
            canChat(model)
              ? html`<button aria-label="${words.chat} ${name}" @click=${() => this.#chat(name)}>${words.chat}</button>`
              : nothing
          }
        </span>
      </div>
      ${shown ? html`<tabd-model-details .model=${model} .shown=${shown}></tabd-model-details>` : nothing}
    </li>`;
  }

  async #details(name: string) {
    if (this.shown[name]) {
      const { [name]: _, ...rest } = this.shown;
      this.shown = rest;
      return;
    }
    try {
      this.shown = { ...this.shown, [name]: await this.app.api.show(name) };
    } catch (error) {
      this.#fail(error);
    }
  }

  #delete(name: string) {
    if (confirm(words.confirmDelete(name))) void this.#then(this.app.api.delete(name));
  }

  #chat(name: string) {
    this.app.choose(name);
    this.app.chats.fresh();
    location.hash = '#/';
  }

  async #then(work: Promise<void>) {
    try {
      await work;
      await this.app.refresh();
      await this.#look();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown) {
    this.app.failure = errorText(error);
    this.app.changed();
  }
}

customElements.define('tabd-models', ModelsView);
