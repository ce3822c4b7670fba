import { css, html, LitElement, nothing } from 'lit';
import { commonStrings } from '../strings/common.ts';
import { imageStrings } from '../strings/images.ts';
import { icon } from '../ui/icon.ts';
import { controls } from '../ui/styles/controls.ts';
import { dialogs } from '../ui/styles/dialogs.ts';
import { lists } from '../ui/styles/lists.ts';
import type { GalleryImage } from './image-state.ts';

/** Shows one image of the gallery with its settings. Arrow keys show the others. Fires `use` and `remove`. */
export class Lightbox extends LitElement {
  static override properties = {
    images: { attribute: false },
    at: { state: true },
    size: { state: true },
  };
  declare images: readonly GalleryImage[];
  /** The index of the shown image. */
  declare at: number;
  /** Width and height in pixels, once the image is loaded. */
  declare size: string;

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
      figure {
        display: grid;
        place-items: center;
        min-height: min(32rem, 70dvh);
        margin: 0;
        padding: 1rem;
        background: var(--sunken);
      }
      img {
        display: block;
        max-width: 100%;
        max-height: 78dvh;
        border-radius: var(--radius-sm);
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
        figure {
          min-height: 0;
        }
      }
    `,
  ];

  constructor() {
    super();
    this.images = [];
    this.at = 0;
    this.size = '';
  }

  async show(image: GalleryImage): Promise<void> {
    this.at = this.images.indexOf(image);
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
    const { url, settings, finished } = image;
    const title = settings?.prompt || imageStrings.picture;
    const step = (by: number, label: string, drawing: 'left' | 'right') =>
      html`<button
        class="plain round"
        aria-label=${label}
        title=${label}
        ?disabled=${!this.images[this.at + by]}
        @click=${() => this.#step(by)}
      >
        ${icon(drawing)}
      </button>`;
    return html`<div class="parts">
      <figure><img src=${url} alt=${title} @load=${this.#onLoad} /></figure>
      <section>
        <header>
          ${step(-1, imageStrings.newer, 'left')} ${step(1, imageStrings.older, 'right')}
          <button class="plain round" aria-label=${commonStrings.close} @click=${() => this.dialog?.close()}>
            ${icon('close')}
          </button>
        </header>
        <p>${title}</p>
        <dl class="num">
          ${this.#facts(image).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
        </dl>
        <div class="buttons">
          <a class="button" href=${url} download=${finished.images[0]?.filename ?? 'image.png'}>${imageStrings.save}</a>
          ${
            settings
              ? html`<button @click=${() => this.#fire('use', image)}>${imageStrings.use}</button>`
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

  /** A small image is enlarged to twice its size at most: beyond that it would look blurred. */
  #onLoad(event: Event) {
    const image = event.target as HTMLImageElement;
    image.style.width = `${image.naturalWidth * 2}px`;
    this.size = `${image.naturalWidth} × ${image.naturalHeight}`;
  }

  #step(by: number) {
    if (this.images[this.at + by]) this.at += by;
  }

  #onKeydown(event: KeyboardEvent) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by !== undefined) this.#step(by);
  }

  #fire(name: 'use' | 'remove', image: GalleryImage) {
    this.dialog?.close();
    this.dispatchEvent(new CustomEvent<GalleryImage>(name, { detail: image }));
  }
}

customElements.define('tabd-lightbox', Lightbox);
