import { css, html, nothing } from 'lit';
import { storedSettings } from '../settings/stored-settings.ts';
import { strings } from '../strings.ts';
import { AppElement } from '../ui/app-element.ts';
import { errorText } from '../ui/error-text.ts';
import { bytes } from '../ui/format.ts';
import { controls } from '../ui/theme.ts';
import { fitChip, fitStyles } from './fit-chip.ts';
import { Hub, type HubFile, type HubModel, pullName } from './hub.ts';
import { fitOf } from './model-fit.ts';
import type { Surroundings } from './resources.ts';

const words = strings.models.hub;
const short = new Intl.NumberFormat('en', { notation: 'compact' });

/** Finds models of the hub. Nothing is asked there before a person presses Search. */
export class HubSearch extends AppElement {
  static override properties = {
    ...AppElement.properties,
    around: { attribute: false },
    found: { state: true },
    files: { state: true },
    opened: { state: true },
    busy: { state: true },
    failure: { state: true },
  };
  declare around: Surroundings | undefined;
  declare found: HubModel[] | undefined;
  /** By repository. */
  declare files: Record<string, HubFile[]>;
  declare opened: string | undefined;
  declare busy: boolean;
  declare failure: string | undefined;
  readonly #hub = new Hub(storedSettings(localStorage));
  #abort = new AbortController();

  static override styles = [
    controls,
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
        list-style: none;
        margin: 0.5rem 0 0;
        padding: 0;
      }
      li {
        border-top: 1px solid var(--line);
        padding: 0.6rem 0;
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
      <h2>${words.heading(name)}</h2>
      <form role="search" @submit=${this.#search}>
        <label class="visually-hidden" for="words">${words.label}</label>
        <input id="words" name="words" type="text" placeholder=${words.label} autocomplete="off" spellcheck="false" />
        <button ?disabled=${this.busy}>${this.busy ? words.searching : words.search}</button>
      </form>
      <p class="soft small">${words.sub(name)}</p>
      ${this.failure ? html`<div class="error" role="alert">${this.failure}</div>` : nothing}
      <div aria-live="polite">
        ${this.found?.length === 0 ? html`<p class="soft">${words.none}</p>` : nothing}
        ${
          this.found?.length
            ? html`<ul>
                ${this.found.map((model) => this.#model(model))}
              </ul>`
            : nothing
        }
      </div>
    `;
  }

  #model({ id, downloads, licence, gated }: HubModel) {
    const open = this.opened === id;
    return html`<li>
      <div class="row">
        <div>
          <strong>${id}</strong><br />
          <span class="soft small num"
            >${[
              licence ?? words.unknownLicence,
              words.downloads(short.format(downloads)),
              gated ? words.gated : '',
            ]
              .filter(Boolean)
              .join(' · ')}</span
          >
        </div>
        <button aria-label=${words.filesOf(id)} aria-expanded=${open} @click=${() => this.#open(id)}>
          ${words.files}
        </button>
      </div>
      ${
        open && this.files[id]
          ? html`<ul>
              ${this.files[id].length === 0 ? html`<li class="soft">${words.noFiles}</li>` : nothing}
              ${this.files[id].map((file) => this.#file(id, file))}
            </ul>`
          : nothing
      }
    </li>`;
  }

  #file(id: string, file: HubFile) {
    const { around } = this;
    const fit = around && fitOf({ format: 'gguf', bytes: file.size }, around.device, around.free);
    const name = pullName(id, file);
    return html`<li class="row">
      <div class="num">
        ${file.quantisation ?? file.path} <span class="soft small">${bytes(file.size)}</span> ${fitChip(fit)}
      </div>
      <button aria-label="${strings.models.pull} ${name}" @click=${() => void this.app.pull(name)}>
        ${strings.models.pull}
      </button>
    </li>`;
  }

  async #search(event: SubmitEvent) {
    event.preventDefault();
    const asked = String(new FormData(event.currentTarget as HTMLFormElement).get('words')).trim();
    if (asked === '') return;
    await this.#try(async (signal) => {
      this.opened = undefined;
      this.found = await this.#hub.search(asked, signal);
    });
  }

  async #open(id: string) {
    if (this.opened === id) {
      this.opened = undefined;
      return;
    }
    await this.#try(async (signal) => {
      this.files = { ...this.files, [id]: this.files[id] ?? (await this.#hub.files(id, signal)) };
      this.opened = id;
    });
  }

  async #try(work: (signal: AbortSignal) => Promise<void>) {
    this.#abort.abort();
    const mine = new AbortController();
    this.#abort = mine;
    this.busy = true;
    this.failure = undefined;
    try {
      await work(mine.signal);
    } catch (error) {
      if (!mine.signal.aborted) this.failure = errorText(error);
    }
    if (this.#abort === mine) this.busy = false;
  }
}

customElements.define('tabd-hub-search', HubSearch);
