import { css, html, nothing } from 'lit';
import type { Recommendation } from '../api-client.ts';
import { type BundledModel, findBundledModel } from '../images/first-model.ts';
import { strings } from '../strings.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes, duration } from '../ui/format.ts';
import { pickFiles } from '../ui/pick-files.ts';
import { controls } from '../ui/theme.ts';
import { canChat } from './capabilities.ts';
import { fitChip, fitStyles } from './fit-chip.ts';
import { bytesOfParameters, type Fit, fitOf } from './model-fit.ts';
import type { Pull } from './pulls.ts';
import { readSurroundings, type Surroundings } from './resources.ts';

const OFFERED = 4;

/** Running downloads, the field to start one, and (with `suggest`) the models to begin with. */
export class PullList extends AppElement {
  static override properties = {
    ...AppElement.properties,
    suggest: { type: Boolean },
    chats: { type: Boolean },
    around: { attribute: false },
    all: { state: true },
    own: { state: true },
  };
  declare suggest: boolean;
  /** Only models that can be talked to are offered. */
  declare chats: boolean;
  /** Looked up here where nobody gives it. */
  declare around: Surroundings | undefined;
  /** More than the first few suggestions are shown. */
  declare all: boolean;
  /** The one that lies beside the page. */
  declare own: BundledModel | undefined;

  override connectedCallback() {
    super.connectedCallback();
    if (this.suggest && !this.chats)
      void findBundledModel().then((own) => {
        this.own = own;
      });
    if (this.suggest && !this.around && this.app.server === 'tab')
      void readSurroundings().then((around) => {
        this.around ??= around;
      });
  }

  static override styles = [
    controls,
    fitStyles,
    css`
      form {
        display: flex;
        gap: 0.5rem;
      }
      :host {
        display: block;
      }
      .pull {
        margin: 0.9rem 0;
      }
      .head {
        display: flex;
        align-items: baseline;
        gap: 0.6rem;
      }
      .head strong {
        flex: 1;
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        font-weight: 600;
      }
      progress {
        appearance: none;
        width: 100%;
        height: 6px;
        border: 0;
        border-radius: 3px;
        overflow: hidden;
        background: var(--sunken);
        margin: 0.4rem 0;
      }
      progress::-webkit-progress-bar {
        background: var(--sunken);
      }
      progress::-webkit-progress-value {
        background: var(--accent);
        border-radius: 3px;
        transition: inline-size 0.15s linear;
      }
      progress::-moz-progress-bar {
        background: var(--accent);
      }
      .suggestion {
        display: flex;
        align-items: center;
        gap: 0.75rem;
        padding: 0.55rem 0;
        border-top: 1px solid var(--line);
      }
      .suggestion:first-of-type {
        border-top: 0;
      }
      .suggestion div {
        flex: 1;
        min-width: 0;
      }
      .error {
        margin: 0.4rem 0;
      }
    `,
  ];

  override render() {
    const { pulls, suggestions, installed } = this.app;
    const busy = new Set(pulls.active.map(({ model }) => model));
    const have = new Set(installed?.map(({ name }) => name));
    const offered = suggestions.filter(
      (one) => !have.has(one.model) && !busy.has(one.model) && (!this.chats || canChat(one)),
    );
    // What engines bring lists of is many and looks alike: it is found by its name.
    const named = offered.filter(({ parameter_size: size }) => size !== undefined);
    const shown = this.all ? named : named.slice(0, OFFERED);
    return html`
      ${pulls.active.map((pull) => this.#pull(pull))}
      ${
        this.suggest && shown.length > 0
          ? html`<div>
              ${shown.map((suggestion) => this.#suggestion(suggestion))}
              ${
                named.length > shown.length
                  ? html`<button
                      class="plain"
                      style="margin-left: -0.6rem"
                      @click=${() => {
                        this.all = true;
                      }}
                    >
                      ${strings.models.more(named.length - shown.length)}
                    </button>`
                  : nothing
              }
            </div>`
          : nothing
      }
      <form @submit=${this.#submit} style=${this.suggest ? 'margin-top: 0.75rem' : ''}>
        <label class="visually-hidden" for="name">${strings.models.name}</label>
        <input id="name" type="text" name="model" list="offered" placeholder=${strings.models.name} autocomplete="off" spellcheck="false" />
        <datalist id="offered">
          ${offered.map(({ model, description }) => html`<option value=${model} label=${description}></option>`)}
        </datalist>
        <button class=${this.suggest ? '' : 'primary'}>${strings.models.pull}</button>
      </form>
      ${
        // The ports take files by the command line.
        this.app.server === 'tab'
          ? html`<button class="plain" style="margin: 0.4rem 0 0 -0.6rem" @click=${this.#pick}>
              ${strings.models.file}
            </button>`
          : nothing
      }
    `;
  }

  #suggestion(suggestion: Recommendation) {
    const { model, description, license, parameter_size: parameters = '' } = suggestion;
    const size = this.#sizeOf(suggestion);
    const runs = size && this.around && canChat(suggestion) ? this.around : undefined;
    const fit: Fit | undefined =
      runs && fitOf({ format: 'gguf', bytes: size!.bytes }, runs.device, runs.free);
    const facts = [parameters, size?.text, fit && strings.models.needs(bytes(fit.memory)), license];
    return html`<div class="suggestion">
      <div>
        <strong>${model}</strong> ${fitChip(fit)}<br /><span class="soft small">${description}</span><br />
        <span class="soft small num">${facts.filter(Boolean).join(' · ')}</span>
      </div>
      <button @click=${() => this.app.pull(model)} aria-label="${strings.models.pull} ${model}">
        ${strings.models.pull}
      </button>
    </div>`;
  }

  /** Of a download: what is told of it, or for language models about what such have. */
  #sizeOf({ model, size, capabilities, parameter_size: parameters = '' }: Recommendation) {
    const told = size ?? (this.own && model === `${this.own.model}:latest` ? this.own.bytes : undefined);
    if (told !== undefined) return { bytes: told, text: bytes(told) };
    const likely = canChat({ ...(capabilities && { capabilities }) })
      ? bytesOfParameters(parameters)
      : undefined;
    return likely === undefined ? undefined : { bytes: likely, text: strings.models.about(bytes(likely)) };
  }

  #pull(pull: Pull) {
    if (pull.error !== undefined)
      return html`<div class="pull">
        <div class="head"><strong>${pull.model}</strong></div>
        <div class="error" role="alert">${pull.error}</div>
        ${
          pull.fromFile
            ? nothing
            : html`<button @click=${() => this.app.pull(pull.model)}>${strings.models.resume}</button>`
        }
        <button class="plain" @click=${() => this.app.pulls.dismiss(pull)}>${strings.models.dismiss}</button>
      </div>`;
    const { total, completed, speed } = pull;
    const left = speed > 0 ? duration((total - completed) / speed) : '';
    return html`<div class="pull">
      <div class="head">
        <strong>${pull.model}</strong>
        ${
          pull.fromFile
            ? nothing
            : pull.paused
              ? html`<button @click=${() => this.app.pull(pull.model)} aria-label="${strings.models.goOn} ${pull.model}">
                  ${strings.models.goOn}
                </button>`
              : html`<button class="plain" @click=${() => this.app.pulls.pause(pull)}>${strings.models.pause}</button>`
        }
        <button class="plain" @click=${() => this.app.pulls.cancel(pull)}>${strings.models.cancel}</button>
      </div>
      <progress aria-label=${pull.model} max=${total || 1} value=${total > 0 || pull.paused ? completed : nothing}></progress>
      <div class="soft small num">
        ${
          total > 0
            ? [
                pull.paused ? strings.models.paused : '',
                `${bytes(completed)} of ${bytes(total)}`,
                speed > 0 ? `${bytes(speed)}/s` : '',
                left,
              ]
                .filter(Boolean)
                .join(' · ')
            : pull.paused
              ? strings.models.paused
              : pull.status
        }
      </div>
    </div>`;
  }

  #submit(event: SubmitEvent) {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const model = String(new FormData(form).get('model')).trim();
    if (model === '') return;
    form.reset();
    void this.app.pull(model);
  }

  #pick() {
    pickFiles('.gguf', ([file]) => void this.app.importFile(file!));
  }
}

customElements.define('tabd-pull-list', PullList);
