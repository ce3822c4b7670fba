import { css, html, nothing } from 'lit';
import type { Recommendation } from '../api-client.ts';
import { type BundledModel, findBundledModel } from '../images/first-model.ts';
import { chatStrings } from '../strings/chat.ts';
import { commonStrings } from '../strings/common.ts';
import { modelStrings } from '../strings/models.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes, duration } from '../ui/format.ts';
import { pickFiles } from '../ui/pick-files.ts';
import { controls } from '../ui/styles/controls.ts';
import './suggestion-list.ts';
import { fitChip, fitStyles, memoryBar } from './fit-chip.ts';
import { groupParts } from './group-parts.ts';
import { type ModelFilter, NO_FILTER } from './model-filter.ts';
import { pullFailure } from './pull-failure.ts';
import type { Pull } from './pulls.ts';
import { type DeviceResources, readResources } from './resources.ts';
import { suggestionFacts } from './suggestion-facts.ts';
import { openSuggestions } from './suggestions.ts';

/** The downloads, the field to start one, and with `suggest` a list of recommended models. */
export class PullList extends AppElement {
  static override properties = {
    ...AppElement.properties,
    suggest: { type: Boolean },
    chats: { type: Boolean },
    resources: { attribute: false },
    filter: { attribute: false },
    pageModel: { state: true },
  };
  declare suggest: boolean;
  /** Offers only models that can chat. */
  declare chats: boolean;
  /** Read by this element when its parent sets none. */
  declare resources: DeviceResources | undefined;
  /** Which suggestions are shown. */
  declare filter: ModelFilter;
  /** The model that the page's server offers as a file. */
  declare pageModel: BundledModel | undefined;

  constructor() {
    super();
    this.filter = NO_FILTER;
  }

  override connectedCallback() {
    super.connectedCallback();
    if (this.suggest && !this.chats)
      void findBundledModel().then((pageModel) => {
        this.pageModel = pageModel;
      });
    if (this.suggest && !this.resources && this.app.server === 'tab')
      void readResources().then((resources) => {
        this.resources ??= resources;
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
        margin: 0.4rem 0;
      }
      .recommended {
        margin-bottom: 1rem;
        border-color: color-mix(in srgb, var(--accent) 45%, var(--line));
      }
      .recommended .name {
        display: flex;
        align-items: center;
        gap: 0.6rem;
        margin: 0.15rem 0;
        font-size: var(--text-lg);
      }
      .recommended p {
        margin: 0;
      }
      .recommended button {
        width: 100%;
        min-height: 2.6rem;
        margin-top: 0.8rem;
      }
      details {
        margin-top: 0.5rem;
      }
      .error {
        margin: 0.4rem 0;
      }
    `,
  ];

  /** How many downloads failed at the last rendering. */
  #failedCount = 0;

  /** Shows a new download or failure, which may be far above the button that was pressed. */
  override updated() {
    const { active } = this.app.pulls;
    const failed = active.filter(({ error }) => error !== undefined).length;
    if (failed > this.#failedCount) this.#reveal('.pull.failed');
    this.#failedCount = failed;
  }

  #reveal(selector: string) {
    const element = [...this.renderRoot.querySelectorAll(selector)].at(-1);
    if (!element) return;
    const { top, bottom } = element.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) element.scrollIntoView({ block: 'center' });
  }

  override render() {
    const { pulls, suggestions, installed } = this.app;
    const taken = new Set([
      ...pulls.active.map(({ model }) => model),
      ...(installed ?? []).map(({ name }) => name),
    ]);
    const offered = openSuggestions(suggestions, taken, this.chats);
    // Engines list many similar models without a size. Those appear only as completions of the name field.
    const named = offered.filter(({ parameter_size: size }) => size !== undefined);
    const progress = pulls.active.map((pull) => this.#pull(pull));
    const [first] = named;
    // A first visit has one recommendation. The others need another click.
    if (this.chats && first && pulls.active.length === 0)
      return html`${this.#recommended(first)}
        <details>
          <summary>${chatStrings.otherModels}</summary>
          ${this.#offers(offered, named.slice(1))}
        </details>`;
    return html`${progress} ${this.#offers(offered, named)}`;
  }

  /** The list of suggestions, and the field for any other model. */
  #offers(offered: readonly Recommendation[], named: readonly Recommendation[]) {
    return html`
      ${
        this.suggest
          ? html`<tabd-suggestions
              .suggestions=${named}
              .resources=${this.resources}
              .pageModel=${this.pageModel}
              .filter=${this.filter}
              @get=${({ detail }: CustomEvent<string>) => this.#startPull(detail)}
            ></tabd-suggestions>`
          : nothing
      }
      <form @submit=${this.#submit} style=${this.suggest ? 'margin-top: 0.75rem' : ''}>
        <label class="visually-hidden" for="name">${modelStrings.name}</label>
        <input id="name" class="pill" type="text" name="model" list="offered" placeholder=${modelStrings.name} autocomplete="off" spellcheck="false" />
        <datalist id="offered">
          ${offered.map(({ model, description }) => html`<option value=${model} label=${description}></option>`)}
        </datalist>
        <button class=${this.suggest ? '' : 'primary'}>${modelStrings.pull}</button>
      </form>
      ${
        // Only the tab's server imports files here. The server of the ports imports them by its command line.
        this.app.server === 'tab'
          ? html`<button class="plain" style="margin: 0.4rem 0 0 -0.6rem" @click=${this.#pick}>
              ${modelStrings.openFile}
            </button>`
          : nothing
      }
    `;
  }

  #recommended(suggestion: Recommendation) {
    const { model, description } = suggestion;
    const { fit, sizeText, facts } = suggestionFacts(suggestion, this.resources, this.pageModel);
    return html`<div class="card recommended">
      <span class="small soft">${chatStrings.recommended}</span>
      <div class="name"><strong>${model}</strong> ${fitChip(fit)}</div>
      <p class="soft small">${description}</p>
      <p class="soft small num">${facts.join(' · ')}</p>
      ${memoryBar(fit)}
      <button class="primary" aria-label=${modelStrings.actionOn(modelStrings.pull, model)} @click=${() => this.app.pull(model)}>
        ${chatStrings.getRecommended(sizeText ?? '')}
      </button>
    </div>`;
  }

  #pull(pull: Pull) {
    if (pull.error !== undefined) {
      const failure = pullFailure(pull.error);
      return html`<div class="pull failed">
        <div class="head"><strong>${pull.model}</strong></div>
        <div class="error" role="alert">${failure.text}</div>
        ${
          failure.details === undefined
            ? nothing
            : html`<details class="soft small">
                <summary>${modelStrings.errorDetails}</summary>
                <p>${failure.details}</p>
              </details>`
        }
        ${
          pull.fromFile
            ? nothing
            : html`<button @click=${() => this.app.pull(pull.model)}>${modelStrings.retry}</button>`
        }
        <button class="plain" @click=${() => this.app.pulls.dismiss(pull)}>${modelStrings.dismiss}</button>
      </div>`;
    }
    const { total, completed, speed } = pull;
    const left = speed > 0 ? duration((total - completed) / speed) : '';
    return html`<div class="pull">
      <div class="head">
        <strong>${pull.model}</strong>
        ${
          pull.fromFile
            ? nothing
            : pull.paused
              ? html`<button @click=${() => this.app.pull(pull.model)} aria-label=${modelStrings.actionOn(modelStrings.resume, pull.model)}>
                  ${modelStrings.resume}
                </button>`
              : html`<button class="plain" @click=${() => this.app.pulls.pause(pull)}>${modelStrings.pause}</button>`
        }
        <button class="plain" @click=${() => this.app.pulls.cancel(pull)}>${modelStrings.cancel}</button>
      </div>
      <progress aria-label=${pull.model} max=${total || 1} value=${total > 0 || pull.paused ? completed : nothing}></progress>
      <div class="soft small num">
        ${
          total > 0
            ? [
                pull.paused ? modelStrings.paused : '',
                commonStrings.share(bytes(completed), bytes(total)),
                speed > 0 ? `${bytes(speed)}/s` : '',
                left,
              ]
                .filter(Boolean)
                .join(' · ')
            : pull.paused
              ? modelStrings.paused
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
    this.#startPull(model);
  }

  #startPull(model: string) {
    void this.app.pull(model);
    void this.updateComplete.then(() => this.#reveal('.pull'));
  }

  #pick() {
    const onFiles = (files: FileList) => {
      for (const parts of groupParts(files)) void this.app.importModel(parts);
    };
    pickFiles('.gguf', onFiles, { multiple: true });
  }
}

customElements.define('tabd-pull-list', PullList);
