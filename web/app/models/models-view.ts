import { css, html, nothing } from 'lit';
import { errorMessage } from '#core/base';
import type { ModelInfo, ModelListEntry } from '../api-client.ts';
import { commonStrings } from '../strings/common.ts';
import { modelFileStrings } from '../strings/model-files.ts';
import { modelStrings } from '../strings/models.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes } from '../ui/format.ts';
import { controls } from '../ui/styles/controls.ts';
import { lists } from '../ui/styles/lists.ts';
import { scrolled } from '../ui/styles/page.ts';
import { ToastWatcher } from '../ui/toast-watcher.ts';
import { toasts } from '../ui/toasts.ts';
import './files/added-files-list.ts';
import './filter-bar.ts';
import './hub-search.ts';
import './loaded-models.ts';
import './model-details.ts';
import './pull-list.ts';
import './storage-card.ts';
import { canChat } from './capabilities.ts';
import { type ModelFilter, NO_FILTER, passesFilter } from './model-filter.ts';
import { type DeviceResources, readResources } from './resources.ts';

const strings = modelStrings;

/** The installed and loaded models, the downloads, and the storage in use. */
export class ModelsView extends AppElement {
  static override properties = {
    ...AppElement.properties,
    resources: { state: true },
    details: { state: true },
    filter: { state: true },
  };
  declare filter: ModelFilter;
  declare resources: DeviceResources | undefined;
  /** The opened details, by model. */
  declare details: Record<string, ModelInfo>;

  static override styles = [
    controls,
    scrolled,
    lists,
    css`
      li {
        padding: 0.75rem 0;
        border-top: 1px solid var(--line);
      }
      li:first-child {
        border-top: 0;
      }
      .buttons {
        gap: 0;
        margin-left: auto;
      }
    `,
  ];

  constructor() {
    super();
    this.details = {};
    this.filter = NO_FILTER;
    new ToastWatcher(this);
  }

  override connectedCallback() {
    super.connectedCallback();
    void this.#readResources();
  }

  /** Files that were added, when the storage was read last. */
  #addedCount = 0;

  override updated() {
    const count = this.app.addedFiles.list.filter(({ state }) => state === 'done').length;
    if (count !== this.#addedCount) void this.#readResources();
    this.#addedCount = count;
  }

  /** Device and storage are those of this browser, so they apply to its own server only. */
  async #readResources() {
    if (this.app.server === 'tab') this.resources = await readResources();
  }

  override render() {
    const { failure } = this.app;
    const installed = this.app.installed?.filter(({ name }) => !toasts.isDeleted(`model ${name}`));
    const shown = installed?.filter((model) => passesFilter(model, this.filter)) ?? [];
    return html`<div class="view">
      <h1>${strings.heading}</h1>
      ${failure === undefined ? nothing : html`<div class="error" role="alert">${failure}</div>`}
      <tabd-model-filter
        .filter=${this.filter}
        @filter=${({ detail }: CustomEvent<ModelFilter>) => {
          this.filter = detail;
        }}
      ></tabd-model-filter>
      <h2>${strings.loaded}</h2>
      <tabd-loaded-models
        .app=${this.app}
        @unload=${(event: CustomEvent<string>) => this.#runAndRefresh(this.app.api.unload(event.detail))}
      ></tabd-loaded-models>
      <h2>${strings.installed}</h2>
      ${installed?.length === 0 ? html`<p class="soft">${strings.noModels}</p>` : nothing}
      <ul>
        ${shown.map((model) => this.#model(model))}
      </ul>
      ${shown.length === 0 && installed && installed.length > 0 ? html`<p class="soft">${strings.noMatch}</p>` : nothing}
      <h2>${strings.add}</h2>
      <tabd-pull-list .app=${this.app} .resources=${this.resources} .filter=${this.filter} suggest></tabd-pull-list>
      <tabd-hub-search .app=${this.app} .resources=${this.resources}></tabd-hub-search>
      <h2>${modelFileStrings.heading}</h2>
      <tabd-added-files .app=${this.app}></tabd-added-files>
      ${
        this.resources
          ? html`<h2>${strings.storage.heading}</h2>
              <tabd-storage .app=${this.app} .storage=${this.resources.storage} @change=${this.#readResources}></tabd-storage>`
          : nothing
      }
    </div>`;
  }

  #model(model: ModelListEntry) {
    const { name, size } = model;
    const { parameter_size: parameters, quantization_level: quantization } = model.details;
    const info = this.details[name];
    return html`<li>
      <div class="row">
        <div>
          <strong>${name}</strong><br />
          <span class="soft small num"
            >${[parameters, quantization, bytes(size)].filter(Boolean).join(' · ')}</span
          >
        </div>
        <span class="buttons">
          <button
            class="plain"
            aria-label=${strings.detailsOf(name)}
            aria-expanded=${info !== undefined}
            @click=${() => this.#details(name)}
          >
            ${strings.details}
          </button>
          <button class="plain" aria-label=${strings.actionOn(strings.delete, name)} @click=${() => this.#delete(name)}>
            ${strings.delete}
          </button>
          ${
            canChat(model)
              ? html`<button aria-label=${strings.actionOn(strings.chat, name)} @click=${() => this.#chat(name)}>${strings.chat}</button>`
              : model.capabilities?.includes('image')
                ? html`<a class="button" href="#/images" aria-label=${strings.actionOn(strings.makeImages, name)}>${strings.makeImages}</a>`
                : nothing
          }
        </span>
      </div>
      ${info ? html`<tabd-model-details .model=${model} .info=${info}></tabd-model-details>` : nothing}
    </li>`;
  }

  async #details(name: string) {
    if (this.details[name]) {
      const { [name]: _, ...rest } = this.details;
      this.details = rest;
      return;
    }
    try {
      this.details = { ...this.details, [name]: await this.app.api.show(name) };
    } catch (error) {
      this.#showError(error);
    }
  }

  #delete(name: string) {
    const { api } = this.app;
    toasts.deleteLater(`model ${name}`, { text: strings.deleted(name), undo: commonStrings.undo }, () =>
      this.#runAndRefresh(api.delete(name)),
    );
    this.requestUpdate();
  }

  #chat(name: string) {
    this.app.chooseModel(name);
    this.app.chats.startNew();
    location.hash = '#/';
  }

  async #runAndRefresh(work: Promise<void>) {
    try {
      await work;
      await this.app.refresh();
      await this.#readResources();
    } catch (error) {
      this.#showError(error);
    }
  }

  #showError(error: unknown) {
    this.app.failure = errorMessage(error);
    this.app.changed();
  }
}

customElements.define('tabd-models', ModelsView);
