import { html, nothing } from 'lit';
import { errorMessage } from '#core/base';
import { chatStrings } from '../strings/chat.ts';
import { AppElement } from '../ui/app-element.ts';
import { icon } from '../ui/icon.ts';
import { pickFiles } from '../ui/pick-files.ts';
import { controls } from '../ui/styles/controls.ts';
import { compareButton, modelChoice } from './compare/model-choice.ts';
import { composerStyles } from './composer-styles.ts';
import { contextUse } from './context-use.ts';
import type { DocumentText } from './conversation.ts';
import './dictation/dictation-button.ts';
import { attachedDocuments } from './documents/attached-documents.ts';
import { IMAGE_TYPES, imageDataUrl, readImage } from './documents/image-files.ts';

const strings = chatStrings;

/** For the file dialog. `document-files.ts` decides, and loads with the first document. */
const DOCUMENT_TYPES = '.pdf,.docx,.txt,.md,.csv,.json,.xml,.html,.yaml,.yml,.log,text/*';

/**
 * The form for a message, its attachments and the model. Fires `sent`, `options` to open the chat settings, and
 * `edit-last` to edit the last message.
 */
export class ChatComposer extends AppElement {
  static override properties = {
    ...AppElement.properties,
    images: { state: true },
    documents: { state: true },
    problem: { state: true },
    hasOptions: { type: Boolean },
  };
  declare images: string[];
  declare documents: DocumentText[];
  declare problem: string | undefined;
  /** Whether the conversation has settings. A mark on the button shows that. */
  declare hasOptions: boolean;

  static override styles = [controls, composerStyles];

  constructor() {
    super();
    this.images = [];
    this.documents = [];
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

  /** Whether there is a message, and a model that can answer it, now or after the running answer. */
  get #canSend(): boolean {
    const { chats } = this.app;
    const hasContent =
      this.#draft.trim() !== '' || this.documents.length > 0 || (this.images.length > 0 && this.#hasVision);
    return hasContent && chats.model !== undefined && chats.turns !== undefined;
  }

  override render() {
    const { chats } = this.app;
    const { runningTurn } = chats;
    const placeholder = runningTurn ? strings.placeholderQueue : strings.placeholder;
    return html`<form @submit=${this.#submit} @paste=${this.#paste}>
      ${chats.queue.of(chats.conversation.id).length > 0 ? this.#queue() : nothing}
      <div class="composer">
        ${this.images.length > 0 ? this.#attachedImages() : nothing}
        ${
          this.documents.length > 0
            ? attachedDocuments(this.app, this.documents, (place) => {
                this.documents = this.documents.toSpliced(place, 1);
              })
            : nothing
        }
        ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing}
        <label class="visually-hidden" for="draft">${strings.placeholder}</label>
        <textarea
          id="draft"
          rows="1"
          placeholder=${placeholder}
          .value=${this.#draft}
          @input=${(event: InputEvent) => {
            this.#draft = (event.target as HTMLTextAreaElement).value;
          }}
          @keydown=${this.#onKeydown}
        ></textarea>
        <div class="row">
          <button
            type="button"
            class="plain round"
            aria-label=${strings.attach}
            data-tip=${strings.attach}
            @click=${this.#pickFiles}
          >
            ${icon('attach')}
          </button>
          <tabd-dictation .app=${this.app} @heard=${this.#addSpeech} @failed=${this.#showProblem}></tabd-dictation>
          <button
            type="button"
            class="plain round ${this.hasOptions ? 'on' : ''}"
            aria-label=${strings.options}
            data-tip=${strings.options}
            @click=${() => this.dispatchEvent(new Event('options'))}
          >
            ${icon('sliders')}
          </button>
          ${compareButton(this.app)} ${modelChoice(this.app)}
          ${this.#contextMeter()}
          ${
            runningTurn && chats.isOwn(runningTurn)
              ? html`<button
                  type="button"
                  class="round send"
                  aria-label=${strings.stop}
                  aria-keyshortcuts="Escape"
                  data-tip=${strings.stop}
                  @click=${() => chats.stop(runningTurn)}
                >
                  ${icon('stop')}
                </button>`
              : nothing
          }
          ${
            runningTurn && this.#draft.trim() === ''
              ? nothing
              : html`<button
                  class="primary round send"
                  aria-label=${runningTurn ? strings.queue : strings.send}
                  aria-keyshortcuts="Enter"
                  data-tip=${runningTurn ? strings.queue : strings.send}
                  ?disabled=${!this.#canSend}
                >
                  ${icon('up')}
                </button>`
          }
        </div>
      </div>
    </form>`;
  }

  #queue() {
    const { chats } = this.app;
    return html`<ul class="queue" aria-label=${strings.queued}>
      ${chats.queue.of(chats.conversation.id).map(
        (message) => html`<li>
          <span>${message.content}</span>
          <button
            type="button"
            class="plain round"
            aria-label=${strings.removeQueued(message.content)}
            @click=${() => {
              chats.queue.remove(chats.conversation.id, message);
              this.requestUpdate();
            }}
          >
            ${icon('close')}
          </button>
        </li>`,
      )}
    </ul>`;
  }

  #contextMeter() {
    const { chats, running } = this.app;
    const loaded = running.find(({ name }) => name === chats.model)?.context_length;
    const use = contextUse(chats.shownTurns, chats.conversation.settings.num_ctx ?? loaded);
    if (!use) return nothing;
    const { used, size } = use;
    const share = Math.min(100, (used / size) * 100);
    return html`<span
      class="context num ${share > 90 ? 'full' : ''}"
      role="img"
      aria-label=${strings.contextUse(used, size)}
      data-tip=${strings.contextUse(used, size)}
      style="--share: ${share}%"
      ><i></i>${strings.contextShort(used, size)}</span
    >`;
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

  #addSpeech({ detail }: CustomEvent<string>) {
    this.problem = undefined;
    this.#draft = [this.#draft.trimEnd(), detail].filter((text) => text !== '').join(' ');
    this.focusText();
  }

  #showProblem({ detail }: CustomEvent<string>) {
    this.problem = detail;
  }

  focusText(): void {
    this.renderRoot.querySelector('textarea')?.focus();
  }

  /** Adds images and documents that were chosen, dropped or pasted. */
  async attach(files: Iterable<File>): Promise<void> {
    this.problem = undefined;
    for (const file of files) {
      try {
        if (file.type.startsWith('image/')) this.images = [...this.images, await readImage(file)];
        else {
          const { readDocument } = await import('./chat-data.ts');
          this.documents = [...this.documents, await readDocument(file)];
        }
      } catch (error) {
        this.problem = errorMessage(error);
      }
    }
  }

  #pickFiles() {
    const types = this.#hasVision ? `${DOCUMENT_TYPES},${IMAGE_TYPES}` : DOCUMENT_TYPES;
    pickFiles(types, (files) => void this.attach(files), { multiple: true });
  }

  #paste(event: ClipboardEvent) {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void this.attach(files);
  }

  #onKeydown(event: KeyboardEvent) {
    if (event.key === 'ArrowUp' && this.#draft === '') {
      event.preventDefault();
      this.dispatchEvent(new Event('edit-last'));
    }
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#submit(event);
  }

  #submit(event: Event) {
    event.preventDefault();
    if (!this.#canSend) return;
    const text = this.#draft.trim();
    const images = this.#hasVision ? this.images : [];
    const { documents } = this;
    this.#draft = '';
    this.images = [];
    this.documents = [];
    this.problem = undefined;
    this.dispatchEvent(new Event('sent'));
    void this.app.chats.send(text, { images, documents });
  }
}

customElements.define('tabd-composer', ChatComposer);
