import { css, html, LitElement, nothing } from 'lit';
import { commonStrings } from '../strings/common.ts';
import { imageStrings } from '../strings/images.ts';
import { type IconName, icon } from '../ui/icon.ts';
import { controls } from '../ui/styles/controls.ts';
import { dialogs } from '../ui/styles/dialogs.ts';
import { lists } from '../ui/styles/lists.ts';
import type { ImageStage } from './image-stage.ts';
import type { GalleryImage } from './image-state.ts';
import './image-stage.ts';

/**
 * Shows one image of the gallery with its settings. Arrow keys show the others. Fires `use`, `edit`, `upscale` and
 * `remove` with the image.
 */
export class Lightbox extends LitElement {
  static override properties = {
    images: { attribute: false },
    at: { state: true },
    size: { state: true },
    compares: { state: true },
    canUpscale: { attribute: false },
  };
  declare images: readonly GalleryImage[];
  /** The index of the shown image. */
  declare at: number;
  /** Width and height in pixels, once the image is loaded. */
  declare size: string;
  /** Whether the next older image is shown next to it. */
  declare compares: boolean;
  /** Whether a model that enlarges images is installed. */
  declare canUpscale: boolean;

  static override styles = [
    controls,
    dialogs,
    lists,
    css`
      dialog {
        --width: 64rem;
        width: 100%;
        max-height: calc(100dvh - 2rem);
        padding: 0;
        overflow: auto;
      }
      .parts {
        display: grid;
        grid-template-columns: minmax(0, 1fr) 19rem;
      }
      section {
        display: flex;
        flex-direction: column;
        gap: 0.75rem;
        padding: 1.1rem 1.2rem;
        overflow-wrap: anywhere;
      }
      header {
        gap: 0.25rem;
        justify-content: flex-end;
      }
      dl {
        font-size: var(--text-sm);
      }
      dialog .buttons {
        justify-content: flex-start;
        margin-top: auto;
      }
      @media (max-width: 48rem) {
        .parts {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `,
  ];

  constructor() {
    super();
    this.images = [];
    this.at = 0;
    this.size = '';
    this.compares = false;
    this.canUpscale = false;
  }

  async show(image: GalleryImage): Promise<void> {
    this.at = this.images.indexOf(image);
    this.compares = false;
    await this.updateComplete;
    const { dialog } = this;
    if (dialog && !dialog.open) dialog.showModal();
  }

  private get dialog() {
    return this.renderRoot.querySelector('dialog');
  }

  override render() {
    const image = this.images[this.at];
    return html`<dialog
      aria-label=${imageStrings.picture}
      @click=${(event: Event) => event.target === event.currentTarget && this.dialog?.close()}
      @keydown=${this.#onKeydown}
    >
      ${image ? this.#content(image) : nothing}
    </dialog>`;
  }

  #content(image: GalleryImage) {
    const { url, settings, file } = image;
    const title = settings?.prompt || imageStrings.picture;
    const older = this.images[this.at + 1];
    const button = (label: string, drawing: IconName, run: () => void, isDisabled = false) =>
      html`<button class="plain round" aria-label=${label} data-tip=${label} ?disabled=${isDisabled} @click=${run}>
        ${icon(drawing)}
      </button>`;
    const step = (by: number, label: string, drawing: IconName) =>
      button(label, drawing, () => this.#step(by), !this.images[this.at + by]);
    return html`<div class="parts">
      <tabd-image-stage
        .url=${url}
        .label=${title}
        .other=${this.compares && older ? older.url : ''}
        @measured=${({ detail }: CustomEvent<string>) => {
          this.size = detail;
        }}
      ></tabd-image-stage>
      <section>
        <header>
          ${button(imageStrings.zoomOut, 'minus', () => this.#stage.changeZoom(-1))}
          ${button(imageStrings.zoomIn, 'plus', () => this.#stage.changeZoom(1))}
          ${step(-1, imageStrings.newer, 'left')} ${step(1, imageStrings.older, 'right')}
          ${button(commonStrings.close, 'close', () => this.dialog?.close())}
        </header>
        <p>${title}</p>
        <dl class="num">
          ${this.#facts(image).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
        </dl>
        <div class="buttons">
          <a class="button" href=${url} download=${file.filename}>${imageStrings.save}</a>
          ${
            settings
              ? html`<button @click=${() => this.#fire('use', image)}>${imageStrings.use}</button>`
              : nothing
          }
          <button @click=${() => this.#fire('edit', image)}>${imageStrings.editImage}</button>
          ${
            this.canUpscale
              ? html`<button @click=${() => this.#fire('upscale', image)}>${imageStrings.upscale}</button>`
              : nothing
          }
          ${
            older
              ? html`<button aria-pressed=${this.compares} @click=${() => {
                  this.compares = !this.compares;
                }}>
                  ${this.compares ? imageStrings.compareEnd : imageStrings.compare}
                </button>`
              : nothing
          }
          <button class="danger" @click=${() => this.#fire('remove', image)}>${imageStrings.delete}</button>
        </div>
      </section>
    </div>`;
  }

  #facts({ settings }: GalleryImage): [string, string][] {
    const facts: [string, string | number | undefined][] = [
      [imageStrings.size, this.size],
      [imageStrings.model, settings?.checkpoint],
      [imageStrings.negative, settings?.negative],
      [imageStrings.steps, settings?.steps],
      [imageStrings.guidance, settings?.guidance],
      [imageStrings.sampler, settings?.sampler],
      [imageStrings.scheduler, settings?.scheduler],
      [imageStrings.seed, settings?.seed],
    ];
    return facts.flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)] as [string, string]],
    );
  }

  get #stage(): ImageStage {
    return this.renderRoot.querySelector<ImageStage>('tabd-image-stage')!;
  }

  #step(by: number) {
    if (this.images[this.at + by]) this.at += by;
  }

  #onKeydown(event: KeyboardEvent) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by !== undefined) this.#step(by);
  }

  #fire(name: 'use' | 'edit' | 'upscale' | 'remove', image: GalleryImage) {
    this.dialog?.close();
    this.dispatchEvent(new CustomEvent<GalleryImage>(name, { detail: image }));
  }
}

customElements.define('tabd-lightbox', Lightbox);
