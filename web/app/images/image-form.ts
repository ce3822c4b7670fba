import { css, html, type PropertyDeclarations } from 'lit';
import { type ImageSettings, suggestedSettings } from '#core/api-client';
import { imageStrings } from '../strings/images.ts';
import { AppElement } from '../ui/app-element.ts';
import { controls } from '../ui/styles/controls.ts';
import { ASPECT_RATIOS, ratioOf, withRatio } from './aspect-ratios.ts';
import { imagesOf } from './images-of.ts';
import './start-section.ts';

/** The form for prompt, model, size, steps and seed. */
export class ImageForm extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    showsStart: { state: true },
  };
  /** Whether the part with the start image is open. */
  declare showsStart: boolean;

  static override styles = [
    controls,
    css`
      form {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: 0.9rem;
      }
      textarea {
        min-height: 5.5rem;
      }
      .pair {
        display: grid;
        grid-template-columns: repeat(2, minmax(0, 1fr));
        gap: 0.75rem;
      }
      details {
        border-top: 1px solid var(--line);
        padding-top: 0.75rem;
      }
      details > div {
        display: grid;
        gap: 0.9rem;
        margin-top: 0.9rem;
      }
      .shapes {
        display: flex;
        border: 1px solid var(--line);
        border-radius: var(--radius-full);
        overflow: hidden;
      }
      .shapes button {
        flex: 1;
        gap: 0.35rem;
        padding: 0;
        border: 0;
        border-radius: 0;
        min-height: 2.1rem;
        font-size: var(--text-sm);
        font-variant-numeric: tabular-nums;
      }
      .shapes button[aria-pressed='true'] {
        background: var(--accent-wash);
        color: var(--text);
        font-weight: 550;
      }
      .shapes i {
        width: calc(0.8rem * var(--wide));
        height: calc(0.8rem / var(--wide));
        border: 1.5px solid currentColor;
        border-radius: 2px;
      }
      .go {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
      }
      .go button {
        white-space: normal;
      }
    `,
  ];

  constructor() {
    super();
    this.showsStart = false;
  }

  override render() {
    const {
      settings,
      generation,
      download,
      checkpoints,
      samplers,
      schedulers,
      keepSeed,
      offer,
      start,
      count,
    } = imagesOf(this.app);
    const hasNoModel = checkpoints?.length === 0;
    const models = hasNoModel && offer ? [offer.model] : (checkpoints ?? []);
    const isBusy = generation || (download && download.error === undefined && !download.paused);
    const words = imageStrings;
    return html`<form @submit=${this.#submit}>
      <label class="field"
        >${words.prompt}
        <textarea
          placeholder=${words.placeholder}
          .value=${settings.prompt}
          @input=${(event: Event) => this.#set('prompt', event)}
          @keydown=${this.#key}
        ></textarea>
      </label>
      <label class="field"
        >${words.model}
        ${this.#select('checkpoint', models, (value) => void imagesOf(this.app).choose(value))}
      </label>
      <div class="buttons" role="group" aria-label=${words.presets}>
        ${this.#presets().map(
          ({ label, ...preset }) =>
            html`<button type="button" class="small" aria-description=${words.presetTitle(preset)} data-tip=${words.presetTitle(preset)} @click=${() => imagesOf(this.app).change(preset)}>
              ${label}
            </button>`,
        )}
      </div>
      ${this.#shapes()}
      <div class="pair">${this.#number('width', 16, 8)} ${this.#number('height', 16, 8)}</div>
      <div class="pair">${this.#number('steps', 1, 1)} ${this.#number('guidance', 0, 0.1)}</div>
      <label class="field"
        >${words.negative}
        <input type="text" .value=${settings.negative} @input=${(event: Event) => this.#set('negative', event)} />
      </label>
      <details
        ?open=${start !== undefined || this.showsStart}
        @toggle=${(event: Event) => {
          this.showsStart = (event.target as HTMLDetailsElement).open;
        }}
      >
        <summary>${words.startImage}</summary>
        <div><tabd-start-section .app=${this.app}></tabd-start-section></div>
      </details>
      <details>
        <summary>${words.more}</summary>
        <div>
          <label class="field"
            >${words.count}
            <input type="number" min="1" max="8" required .value=${String(count)} @change=${this.#count} />
          </label>
          <div class="pair">
            <label class="field">${words.sampler} ${this.#select('sampler', samplers)}</label>
            <label class="field">${words.scheduler} ${this.#select('scheduler', schedulers)}</label>
          </div>
          <label class="field"
            >${words.seed}
            <input
              type="text"
              inputmode="numeric"
              pattern="[0-9]{1,20}"
              .value=${settings.seed}
              @input=${(event: Event) => this.#set('seed', event)}
            />
          </label>
          <label class="check">
            <input type="checkbox" .checked=${keepSeed} @change=${this.#keep} />
            ${words.keepSeed}
          </label>
        </div>
      </details>
      <div class="go">${
        isBusy
          ? html`<button type="button" @click=${() => imagesOf(this.app).stop()}>${words.stop}</button>`
          : html`<button class="primary" ?disabled=${!this.#isReady}>
              ${hasNoModel && offer ? words.getAndMake(offer.model) : words.make}
            </button>`
      }</div>
    </form>`;
  }

  #shapes() {
    const images = imagesOf(this.app);
    const own = ratioOf(images.settings);
    return html`<div class="shapes" role="group" aria-label=${imageStrings.shape}>
      ${ASPECT_RATIOS.map(
        ({ name, ratio }) =>
          html`<button
            type="button"
            aria-pressed=${name === own}
            @click=${() => images.change(withRatio(images.settings, ratio))}
          >
            <i style="--wide: ${Math.sqrt(ratio).toFixed(2)}"></i>${name}
          </button>`,
      )}
    </div>`;
  }

  #count({ target }: Event) {
    const { valueAsNumber, validity } = target as HTMLInputElement;
    if (validity.valid) imagesOf(this.app).setCount(valueAsNumber);
  }

  /** The recommended settings of the model, or general presets. A model for few steps has no faster preset. */
  #presets(): ({ label: string; steps: number; guidance: number } & Partial<ImageSettings>)[] {
    const { presetNames, ownPreset } = imageStrings;
    const own = suggestedSettings(imagesOf(this.app).settings.checkpoint);
    if (!own) return [...presetNames];
    return [{ label: ownPreset, ...own }, ...(own.guidance > 2 ? presetNames.slice(0, 1) : [])];
  }

  #select(
    field: 'checkpoint' | 'sampler' | 'scheduler',
    values: string[],
    choose = (value: string) => imagesOf(this.app).change({ [field]: value }),
  ) {
    const chosen = imagesOf(this.app).settings[field];
    return html`<select @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>
      ${values.map((value) => html`<option value=${value} ?selected=${value === chosen}>${value}</option>`)}
    </select>`;
  }

  #number(field: 'width' | 'height' | 'steps' | 'guidance', least: number, step: number) {
    const change = ({ target }: Event) => {
      const { valueAsNumber, validity } = target as HTMLInputElement;
      if (validity.valid && !Number.isNaN(valueAsNumber))
        imagesOf(this.app).change({ [field]: valueAsNumber });
    };
    return html`<label class="field"
      >${imageStrings[field]}
      <input
        type="number"
        min=${least}
        max=${field === 'guidance' || field === 'steps' ? 100 : 2048}
        step=${step}
        required
        .value=${String(imagesOf(this.app).settings[field])}
        @change=${change}
      />
    </label>`;
  }

  #set(field: 'prompt' | 'negative' | 'seed', { target }: Event) {
    const { value, validity } = target as HTMLInputElement | HTMLTextAreaElement;
    if (!validity.valid || (field === 'seed' && value === '')) return;
    imagesOf(this.app).change({ [field]: value } as Partial<ImageSettings>);
  }

  #keep(event: Event) {
    imagesOf(this.app).keepSeed = (event.target as HTMLInputElement).checked;
  }

  #key(event: KeyboardEvent) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.#submit(event);
  }

  get #isReady(): boolean {
    const { settings, checkpoints, offer } = imagesOf(this.app);
    const hasModel = checkpoints?.length === 0 ? offer !== undefined : settings.checkpoint !== '';
    return settings.prompt.trim() !== '' && hasModel;
  }

  #submit(event: Event) {
    event.preventDefault();
    if (!this.#isReady) return;
    const images = imagesOf(this.app);
    void (images.checkpoints?.length === 0 ? images.installAndGenerate() : images.generate());
  }
}

customElements.define('tabd-picture-form', ImageForm);
