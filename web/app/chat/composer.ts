import { css, html, nothing } from 'lit';
import { errorMessage } from '#core/base';
import { chatStrings } from '../strings/chat.ts';
import { AppElement } from '../ui/app-element.ts';
import { icon } from '../ui/icon.ts';
import { pickFiles } from '../ui/pick-files.ts';
import { controls } from '../ui/styles/controls.ts';
import { IMAGE_TYPES, imageDataUrl, readImage } from './image-files.ts';

const strings = chatStrings;

/** The form for a message, its images and the model. Fires `sent`, and `options` to open the chat settings. */
export class ChatComposer extends AppElement {
  static override properties = {
    ...AppElement.properties,
    images: { state: true },
    problem: { state: true },
    hasOptions: { type: Boolean },
  };
  declare images: string[];
  declare problem: string | undefined;
  /** Whether the conversation has settings. A mark on the button shows that. */
  declare hasOptions: boolean;

  static override styles = [
    controls,
    css`
      form {
        width: 100%;
        max-width: 48rem;
        margin: 0 auto;
        padding: 0 1.25rem 1rem;
      }
      .composer {
        background: var(--surface);
        border: 1px solid var(--line);
        border-radius: 20px;
        padding: 0.55rem 0.6rem 0.55rem 1rem;
      }
      .composer:focus-within {
        border-color: var(--accent);
      }
      .composer:has(textarea:focus-visible) {
        outline: 2px solid var(--accent);
        outline-offset: -1px;
      }
      textarea {
        padding: 0.3rem 0;
        min-height: 1.9rem;
        max-height: 12rem;
        border: 0;
        background: none;
        font-size: 1rem;
        line-height: inherit;
        resize: none;
      }
      textarea:focus-visible {
        outline: none;
      }
      .row {
        display: flex;
        align-items: center;
        gap: 0.2rem;
        margin-top: 0.25rem;
        margin-left: -0.5rem;
      }
      .round.on {
        color: var(--accent);
      }
      select {
        width: auto;
        max-width: 100%;
        min-height: 2.25rem;
        padding: 0;
        border: 0;
        border-radius: 8px;
        background: transparent;
        color: var(--soft);
        font-size: 0.85rem;
        cursor: pointer;
      }
      .pick {
        flex: 1;
        min-width: 0;
      }
      .images {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
        padding: 0.3rem 0;
      }
      .images span {
        position: relative;
      }
      .images img {
        display: block;
        height: 4.5rem;
        max-width: 8rem;
        object-fit: cover;
        border-radius: 10px;
        border: 1px solid var(--line);
      }
      .images button {
        position: absolute;
        top: -0.5rem;
        right: -0.5rem;
        background: var(--surface);
        --round: 1.6rem;
      }
      .problem {
        color: var(--bad);
        font-size: 0.85rem;
        margin: 0.2rem 0;
      }
    `,
  ];

  constructor() {
    super();
    this.images = [];
  }

  get #draft(): string {
    const { chats } = this.app;
    return chats.drafts.get(chats.conversation.id) ?? '';
  }

  set #draft(text: string) {
    const { chats } = this.app;
    chats.drafts.set(chats.conversation.id, text);
    this.requestUpdate();
  }

  get #hasVision(): boolean {
    const { model } = this.app.chats;
    return model !== undefined && (this.app.capabilities(model)?.includes('vision') ?? false);
  }

  /** Whether there is a message, and a model that can answer it now. */
  get #canSend(): boolean {
    const { chats } = this.app;
    const hasContent = this.#draft.trim() !== '' || (this.images.length > 0 && this.#hasVision);
    return hasContent && chats.model !== undefined && !chats.runningTurn && chats.turns !== undefined;
  }

  override render() {
    const { chatModels = [], chats } = this.app;
    const { runningTurn, model } = chats;
    return html`<form @submit=${this.#submit} @paste=${this.#paste}>
      <div class="composer">
        ${this.images.length > 0 ? this.#attachedImages() : nothing}
        ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
        <label class="visually-hidden" for="draft">${strings.placeholder}</label>
        <textarea
          id="draft"
          rows="1"
          placeholder=${strings.placeholder}
          .value=${this.#draft}
          @input=${(event: InputEvent) => {
            this.#draft = (event.target as HTMLTextAreaElement).value;
          }}
          @keydown=${this.#onKeydown}
        ></textarea>
        <div class="row">
          ${
            this.#hasVision
              ? html`<button
                  type="button"
                  class="plain round"
                  aria-label=${strings.attach}
                  title=${strings.attach}
                  @click=${this.#pickImages}
                >
                  ${icon('image')}
                </button>`
              : nothing
          }
          <button
            type="button"
            class="plain round ${this.hasOptions ? 'on' : ''}"
            aria-label=${strings.options}
            title=${strings.options}
            @click=${() => this.dispatchEvent(new Event('options'))}
          >
            ${icon('sliders')}
          </button>
          <span class="pick">
            ${
              chatModels.length === 0
                ? nothing
                : html`<select aria-label=${strings.model} @change=${this.#choose}>
                    ${chatModels.map(
                      ({ name }) => html`<option value=${name} ?selected=${name === model}>${name}</option>`,
                    )}
                  </select>`
            }
          </span>
          <span
            >${
              runningTurn && chats.isOwn(runningTurn)
                ? html`<button type="button" @click=${() => chats.stop(runningTurn)}>${strings.stop}</button>`
                : html`<button class="primary" ?disabled=${!this.#canSend}>${strings.send}</button>`
            }</span
          >
        </div>
      </div>
    </form>`;
  }

  #attachedImages() {
    return html`<div class="images">
        ${this.images.map(
          (image, at) => html`<span>
            <img src=${imageDataUrl(image)} alt=${strings.image(at + 1)} />
            <button
              type="button"
              class="round"
              aria-label="${strings.removeImage} ${at + 1}"
              @click=${() => {
                this.images = this.images.toSpliced(at, 1);
              }}
            >
              ${icon('close')}
            </button>
          </span>`,
        )}
      </div>
      ${this.#hasVision ? nothing : html`<p class="problem" role="alert">${strings.noVision(this.app.chats.model ?? '')}</p>`}`;
  }

  focusText(): void {
    this.renderRoot.querySelector('textarea')?.focus();
  }

  /** Adds images that were chosen, dropped or pasted. */
  async attach(files: Iterable<File>): Promise<void> {
    this.problem = undefined;
    for (const file of files) {
      try {
        this.images = [...this.images, await readImage(file)];
      } catch (error) {
        this.problem = errorMessage(error);
      }
    }
  }

  #choose(event: Event) {
    const model = (event.target as HTMLSelectElement).value;
    this.app.chooseModel(model);
    void this.app.chats.update({ model });
  }

  #pickImages() {
    pickFiles(IMAGE_TYPES, (files) => void this.attach(files), { multiple: true });
  }

  #paste(event: ClipboardEvent) {
    const files = [...(event.clipboardData?.files ?? [])].filter(({ type }) => type.startsWith('image/'));
    if (files.length === 0) return;
    event.preventDefault();
    void this.attach(files);
  }

  #onKeydown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#submit(event);
  }

  #submit(event: Event) {
    event.preventDefault();
    if (!this.#canSend) return;
    const text = this.#draft.trim();
    const images = this.#hasVision ? this.images : [];
    this.#draft = '';
    this.images = [];
    this.problem = undefined;
    this.dispatchEvent(new Event('sent'));
    void this.app.chats.send(text, images);
  }
}

customElements.define('tabd-composer', ChatComposer);
