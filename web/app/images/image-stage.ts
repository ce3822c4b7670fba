import { css, html, LitElement, nothing, type PropertyDeclarations } from 'lit';
import { imageStrings } from '../strings/images.ts';
import { limitEnlargement } from './fitted-width.ts';

/** Sizes of the image on the screen: fitted into its place, or so many screen pixels for each of its pixels. */
const ZOOMS = ['fit', 1, 2, 4] as const;

/** An image that can be enlarged without blur and compared with another one. Fires `measured` with its size. */
export class ImageStage extends LitElement {
  static override properties: PropertyDeclarations = {
    url: {},
    label: {},
    other: {},
    zoom: { state: true },
    border: { state: true },
  };
  declare url: string;
  declare label: string;
  /** The URL of the image to compare with. Empty: none. */
  declare other: string;
  /** An index of `ZOOMS`. */
  declare zoom: number;
  /** Percent of the width that shows the image; the rest shows the other one. */
  declare border: number;

  static override styles = css`
    :host {
      display: grid;
      grid-template-rows: minmax(0, 1fr) auto;
      min-width: 0;
      background: var(--sunken);
    }
    figure {
      display: grid;
      place-items: center;
      min-height: min(32rem, 70dvh);
      max-height: 82dvh;
      margin: 0;
      padding: 1rem;
      overflow: auto;
    }
    .both {
      display: grid;
    }
    img {
      grid-area: 1 / 1;
      display: block;
      max-width: 100%;
      max-height: 78dvh;
      border-radius: var(--radius-sm);
      cursor: zoom-in;
    }
    .enlarged img {
      max-width: none;
      max-height: none;
      /* Each pixel of the image is a square of screen pixels. */
      image-rendering: pixelated;
      cursor: zoom-out;
    }
    input {
      margin: 0 1rem 1rem;
    }
    @media (max-width: 48rem) {
      figure {
        min-height: 0;
      }
    }
  `;

  constructor() {
    super();
    this.url = this.label = this.other = '';
    this.zoom = 0;
    this.border = 50;
  }

  override willUpdate(changed: Map<string, unknown>) {
    if (changed.has('url')) this.zoom = 0;
  }

  override render() {
    const isEnlarged = this.zoom > 0;
    const image = (url: string, label: string, style: string) =>
      html`<img src=${url} alt=${label} style=${style} @load=${this.#onLoad} @click=${() => this.changeZoom(isEnlarged ? -this.zoom : 1)} />`;
    return html`<figure class=${isEnlarged ? 'enlarged' : ''}>
        <div class="both">
          ${this.other === '' ? nothing : image(this.other, '', '')}
          ${image(this.url, this.label, this.other === '' ? '' : `clip-path: inset(0 ${100 - this.border}% 0 0)`)}
        </div>
      </figure>
      ${
        this.other === ''
          ? nothing
          : html`<input
              type="range"
              min="0"
              max="100"
              aria-label=${imageStrings.compareAt}
              .value=${String(this.border)}
              @input=${(event: Event) => {
                this.border = (event.target as HTMLInputElement).valueAsNumber;
              }}
            />`
      }`;
  }

  override updated() {
    for (const image of this.renderRoot.querySelectorAll('img')) this.#setWidth(image);
  }

  canZoom(by: number): boolean {
    return ZOOMS[this.zoom + by] !== undefined;
  }

  changeZoom(by: number): void {
    if (this.canZoom(by)) this.zoom += by;
  }

  #onLoad({ target }: Event) {
    const image = target as HTMLImageElement;
    this.#setWidth(image);
    if (image.src !== this.url) return;
    const detail = `${image.naturalWidth} × ${image.naturalHeight}`;
    this.dispatchEvent(new CustomEvent<string>('measured', { detail }));
  }

  #setWidth(image: HTMLImageElement) {
    const zoom = ZOOMS[this.zoom]!;
    limitEnlargement(image, zoom === 'fit' ? undefined : zoom / devicePixelRatio);
  }
}

customElements.define('tabd-image-stage', ImageStage);
