import { css, html, nothing } from 'lit';
import { errorMessage } from '#core/base';
import { readStoredSettings } from '../settings/stored-settings.ts';
import { modelStrings } from '../strings/models.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes, compact } from '../ui/format.ts';
import { controls } from '../ui/styles/controls.ts';
import { lists } from '../ui/styles/lists.ts';
import { fitChip, fitStyles } from './fit-chip.ts';
import { HubClient, type HubFile, type HubModel, pullName } from './hub.ts';
import { rateFit } from './model-fit.ts';
import type { DeviceResources } from './resources.ts';

const strings = modelStrings.hub;

/** Searches the hub for models. It sends nothing before the user presses Search. */
export class HubSearch extends AppElement {
  static override properties = {
    ...AppElement.properties,
    resources: { attribute: false },
    results: { state: true },
    files: { state: true },
    openedId: { state: true },
    busy: { state: true },
    failure: { state: true },
  };
  declare resources: DeviceResources | undefined;
  declare results: HubModel[] | undefined;
  /** The files of each opened repository, by its id. */
  declare files: Record<string, HubFile[]>;
  declare openedId: string | undefined;
  declare busy: boolean;
  declare failure: string | undefined;
  readonly #hub = new HubClient(readStoredSettings(localStorage));
  #abort = new AbortController();

  static override styles = [
    controls,
    lists,
    fitStyles,
    css`
      form {
        display: flex;
        gap: 0.5rem;
      }
      p {
        margin: 0.5rem 0;
      }
      ul {
        margin-top: 0.5rem;
      }
      li {
        border-top: 1px solid var(--line);
        padding: 0.6rem 0;
      }
      li li.row > div {
        flex-basis: 8rem;
      }
      li li {
        border: 0;
        padding: 0.25rem 0 0.25rem 0.9rem;
      }
    `,
  ];

  constructor() {
    super();
    this.files = {};
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#abort.abort();
  }

  override render() {
    const { name } = this.#hub;
    return html`
      <h2>${strings.heading(name)}</h2>
      <form role="search" @submit=${this.#search}>
        <label class="visually-hidden" for="words">${strings.label}</label>
        <input id="words" class="pill" name="words" type="text" placeholder=${strings.label} autocomplete="off" spellcheck="false" />
        <button ?disabled=${this.busy}>${this.busy ? strings.searching : strings.search}</button>
      </form>
      <p class="soft small">${strings.privacyNote(name)}</p>
      ${this.failure ? html`<div class="error" role="alert">${this.failure}</div>` : nothing}
      <div aria-live="polite">
        ${this.results?.length === 0 ? html`<p class="soft">${strings.noModels}</p>` : nothing}
        ${
          this.results?.length
            ? html`<ul>
                ${this.results.map((model) => this.#model(model))}
              </ul>`
            : nothing
        }
      </div>
    `;
  }

  #model({ id, downloads, licence, gated }: HubModel) {
    const open = this.openedId === id;
    return html`<li>
      <div class="row">
        <div>
          <strong>${id}</strong><br />
          <span class="soft small num"
            >${[
              licence ?? strings.unknownLicence,
              strings.downloads(compact(downloads)),
              gated ? strings.gated : '',
            ]
              .filter(Boolean)
              .join(' · ')}</span
          >
        </div>
        <button aria-label=${strings.filesOf(id)} aria-expanded=${open} @click=${() => this.#open(id)}>
          ${strings.files}
        </button>
      </div>
      ${
        open && this.files[id]
          ? html`<ul>
              ${this.files[id].length === 0 ? html`<li class="soft">${strings.noFiles}</li>` : nothing}
              ${this.files[id].map((file) => this.#file(id, file))}
            </ul>`
          : nothing
      }
    </li>`;
  }

  #file(id: string, file: HubFile) {
    const { resources } = this;
    const fit =
      resources && rateFit({ format: 'gguf', bytes: file.size }, resources.device, resources.freeBytes);
    const name = pullName(id, file);
    return html`<li class="row">
      <div class="num">
        ${file.quantization ?? file.path} <span class="soft small">${bytes(file.size)}</span> ${fitChip(fit)}
      </div>
      <button aria-label=${modelStrings.actionOn(modelStrings.pull, name)} @click=${() => void this.app.pull(name)}>
        ${modelStrings.pull}
      </button>
    </li>`;
  }

  async #search(event: SubmitEvent) {
    event.preventDefault();
    const query = String(new FormData(event.currentTarget as HTMLFormElement).get('words')).trim();
    if (query === '') return;
    await this.#attempt(async (signal) => {
      this.openedId = undefined;
      this.results = await this.#hub.search(query, signal);
    });
  }

  async #open(id: string) {
    if (this.openedId === id) {
      this.openedId = undefined;
      return;
    }
    await this.#attempt(async (signal) => {
      this.files = { ...this.files, [id]: this.files[id] ?? (await this.#hub.files(id, signal)) };
      this.openedId = id;
    });
  }

  async #attempt(work: (signal: AbortSignal) => Promise<void>) {
    this.#abort.abort();
    const mine = new AbortController();
    this.#abort = mine;
    this.busy = true;
    this.failure = undefined;
    try {
      await work(mine.signal);
    } catch (error) {
      if (!mine.signal.aborted) this.failure = errorMessage(error);
    }
    if (this.#abort === mine) this.busy = false;
  }
}

customElements.define('tabd-hub-search', HubSearch);
