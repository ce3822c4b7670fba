import { css, html, nothing, type PropertyDeclarations } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { errorMessage } from '#core/base';
import { appStrings } from '../strings/app.ts';
import { commonStrings } from '../strings/common.ts';
import { imageStrings } from '../strings/images.ts';
import { AppElement } from '../ui/app-element.ts';
import { bytes } from '../ui/format.ts';
import { controls } from '../ui/styles/controls.ts';
import { lists } from '../ui/styles/lists.ts';
import { ToastWatcher } from '../ui/toast-watcher.ts';
import { toasts } from '../ui/toasts.ts';
import { limitEnlargement } from './fitted-width.ts';
import type { GalleryImage } from './image-state.ts';
import { imagesOf } from './images-of.ts';
import type { Lightbox } from './lightbox.ts';
import './image-form.ts';

/** The images page: prompt form, running image and gallery; or the graph editor. */
export class ImagesView extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    subview: {},
    loadFailure: { state: true },
  };
  /** `graph` shows the graph editor, which is loaded on demand. */
  declare subview: string;
  /** The error when the editor could not be loaded. */
  declare loadFailure: string | undefined;
  #editor: 'unloaded' | 'loading' | 'loaded' = 'unloaded';

  static override styles = [
    controls,
    lists,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        height: 100%;
      }
      .parts {
        display: flex;
        gap: 0.15rem;
        padding: 0.35rem 1.25rem;
        border-bottom: 1px solid var(--line);
      }
      .parts a {
        padding: 0.2rem 0.75rem;
        border-radius: 999px;
        color: var(--soft);
        font-size: 0.87rem;
        text-decoration: none;
      }
      .parts a[aria-current] {
        color: var(--text);
        background: var(--sunken);
        font-weight: 550;
      }
      .scroll {
        overflow-y: auto;
      }
      .loading {
        display: grid;
        place-items: center;
      }
      .wide {
        max-width: 72rem;
        display: grid;
        grid-template-columns: minmax(17rem, 22rem) minmax(0, 1fr);
        gap: 2rem;
        align-items: start;
      }
      .stage {
        display: grid;
        place-items: center;
        gap: 0.9rem;
        aspect-ratio: 1;
        max-height: 60dvh;
        width: 100%;
        background: var(--sunken);
        border-radius: var(--radius);
        padding: 1rem;
        text-align: center;
        overflow: hidden;
      }
      .stage img {
        max-width: 100%;
        max-height: 100%;
        min-height: 0;
        width: auto;
        height: 100%;
        object-fit: contain;
        border-radius: 8px;
      }
      h1 {
        margin-bottom: 0.75rem;
      }
      .others {
        margin-top: 1.25rem;
        color: var(--soft);
        font-size: 0.9rem;
      }
      .others p {
        margin-top: 0.5rem;
      }
      progress {
        width: min(20rem, 80%);
        height: 6px;
      }
      ul {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr));
        gap: 0.9rem;
      }
      button.open {
        display: block;
        width: auto;
        min-height: 0;
        max-width: 100%;
        padding: 0;
        border: 0;
        border-radius: var(--radius-sm);
        background: none;
      }
      li button.open {
        width: 100%;
      }
      li img {
        display: block;
        width: 100%;
        aspect-ratio: 1;
        object-fit: cover;
        border-radius: 10px;
        background: var(--sunken);
      }
      li p {
        margin: 0.35rem 0 0;
        font-size: 0.8rem;
        line-height: 1.35;
        display: -webkit-box;
        -webkit-line-clamp: 2;
        -webkit-box-orient: vertical;
        overflow: hidden;
      }
      li .buttons {
        gap: 0;
        margin-left: -0.6rem;
      }
      @media (max-width: 52rem) {
        .wide {
          grid-template-columns: minmax(0, 1fr);
          gap: 1.25rem;
        }
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    void imagesOf(this.app).load();
  }

  constructor() {
    super();
    new ToastWatcher(this);
  }

  override render() {
    const words = imageStrings.graph;
    const isGraph = this.subview === 'graph';
    const link = (href: string, label: string, isHere: boolean) =>
      html`<a href=${href} aria-current=${isHere ? 'page' : nothing}>${label}</a>`;
    return html`<nav class="parts" aria-label=${appStrings.nav.images}>
        ${link('#/images', words.form, !isGraph)} ${link('#/images/graph', words.graph, isGraph)}
      </nav>
      ${isGraph ? this.#graph() : html`<div class="scroll">${this.#form()}</div>`}
      <tabd-lightbox
        .images=${this.#gallery}
        .canUpscale=${imagesOf(this.app).upscalers.length > 0}
        @use=${({ detail }: CustomEvent<GalleryImage>) => imagesOf(this.app).reuseSettings(detail)}
        @edit=${({ detail }: CustomEvent<GalleryImage>) => void imagesOf(this.app).edit(detail)}
        @upscale=${({ detail }: CustomEvent<GalleryImage>) => void imagesOf(this.app).upscale(detail)}
        @remove=${({ detail }: CustomEvent<GalleryImage>) => this.#delete(detail)}
      ></tabd-lightbox>`;
  }

  #graph() {
    if (this.#editor === 'loaded') return html`<tabd-image-graph .app=${this.app}></tabd-image-graph>`;
    if (this.loadFailure !== undefined)
      return html`<div class="view"><div class="error" role="alert">${this.loadFailure}</div></div>`;
    if (this.#editor === 'unloaded') void this.#load();
    return html`<div class="loading soft" role="status">${imageStrings.graph.loading}</div>`;
  }

  async #load() {
    this.#editor = 'loading';
    try {
      await import('./graph/graph-view.ts');
      this.#editor = 'loaded';
    } catch (error) {
      this.#editor = 'unloaded';
      this.loadFailure = errorMessage(error);
    }
    this.requestUpdate();
  }

  #form() {
    const images = imagesOf(this.app);
    const hasNoModel = images.checkpoints?.length === 0;
    const { offer } = images;
    const failure = images.failure ?? images.download?.error;
    const hasForm = hasNoModel ? offer !== undefined : images.checkpoints !== undefined;
    return html`<div class="view ${hasNoModel && !offer ? '' : 'wide'}">
      <div>
        <h1>${hasNoModel ? imageStrings.noModel : imageStrings.heading}</h1>
        ${
          hasNoModel
            ? html`<p class="soft">
                ${offer ? imageStrings.offer(offer.model, bytes(offer.bytes), offer.licence) : imageStrings.noModelSub}
              </p>`
            : nothing
        }
        ${hasForm ? html`<tabd-picture-form .app=${this.app}></tabd-picture-form>` : nothing}
        ${
          hasNoModel && offer
            ? html`<details class="others">
                <summary>${imageStrings.others}</summary>
                <p class="soft small">${imageStrings.noModelSub}</p>
              </details>`
            : nothing
        }
      </div>
      <div>
        ${failure === undefined ? nothing : html`<div class="error" role="alert">${failure}</div>`}
        ${hasForm ? this.#stage() : nothing}
        ${
          images.gallery.length === 0
            ? nothing
            : html`<h2>${imageStrings.gallery}</h2>
                <ul>
                  ${repeat(
                    this.#gallery,
                    ({ url }) => url,
                    (image) => this.#card(image),
                  )}
                </ul>`
        }
      </div>
    </div>`;
  }

  /** The images that do not wait for their deletion. */
  get #gallery(): GalleryImage[] {
    return imagesOf(this.app).gallery.filter(({ url }) => !toasts.isDeleted(url));
  }

  async #open(image: GalleryImage) {
    await import('./lightbox.ts');
    await this.renderRoot.querySelector<Lightbox>('tabd-lightbox')?.show(image);
  }

  #stage() {
    const { generation, download } = imagesOf(this.app);
    const [newest] = this.#gallery;
    if (download && download.error === undefined && !download.paused) {
      const { model, completed, total } = download;
      return html`<div class="stage">
        <progress
          aria-label=${imageStrings.progress}
          max=${total || 1}
          value=${total > 0 ? completed : nothing}
        ></progress>
        <span class="soft small num" role="status">${imageStrings.fetching(model, bytes(completed), bytes(total))}</span>
      </div>`;
    }
    if (!generation) {
      return html`<div class="stage">
        ${
          newest
            ? html`<button class="open" aria-description=${imageStrings.open} data-tip=${imageStrings.open} @click=${() => this.#open(newest)}>
                <img
                  src=${newest.url}
                  alt=${newest.settings?.prompt ?? imageStrings.picture}
                  @load=${({ target }: Event) => limitEnlargement(target as HTMLImageElement)}
                />
              </button>`
            : html`<p class="soft">${imageStrings.empty}</p>`
        }
      </div>`;
    }
    const words =
      generation.ahead > 0
        ? imageStrings.waiting(generation.ahead)
        : generation.step > 0
          ? imageStrings.step(generation.step, generation.steps)
          : imageStrings.preparing;
    return html`<div class="stage" aria-live="polite">
      ${generation.preview ? html`<img src=${generation.preview} alt=${imageStrings.preview} />` : nothing}
      <progress
        aria-label=${imageStrings.progress}
        max=${generation.steps}
        value=${generation.step > 0 ? generation.step : nothing}
      ></progress>
      <span class="soft small num" role="status">${words}</span>
    </div>`;
  }

  #delete(image: GalleryImage) {
    const images = imagesOf(this.app);
    const texts = { text: imageStrings.deleted, undo: commonStrings.undo };
    toasts.deleteLater(image.url, texts, () => images.delete(image));
  }

  #card(image: GalleryImage) {
    const { settings, url } = image;
    const title = settings?.prompt || imageStrings.picture;
    return html`<li>
      <button class="open" aria-description=${imageStrings.open} data-tip=${imageStrings.open} @click=${() => this.#open(image)}>
        <img src=${url} alt=${title} loading="lazy" />
      </button>
      <p data-tip=${title}>${title}</p>
      <span class="buttons">
        ${
          settings
            ? html`<button class="plain small" aria-label="${imageStrings.use}: ${title}" @click=${() => imagesOf(this.app).reuseSettings(image)}>
                ${imageStrings.use}
              </button>`
            : nothing
        }
        <button
          class="plain small"
          aria-label="${imageStrings.delete}: ${title}"
          @click=${() => this.#delete(image)}
        >
          ${imageStrings.delete}
        </button>
      </span>
    </li>`;
  }
}

customElements.define('tabd-images', ImagesView);
