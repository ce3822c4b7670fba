import { css, html, type PropertyDeclarations } from 'lit';
import { imageStrings } from '../strings/images.ts';
import { AppElement } from '../ui/app-element.ts';
import { icon } from '../ui/icon.ts';
import { pickFiles } from '../ui/pick-files.ts';
import { controls } from '../ui/styles/controls.ts';
import { imagesOf } from './images-of.ts';
import type { BrushLine, StartImage } from './start-image.ts';
import './paint-canvas.ts';

const BRUSH = 0.12;

/** The part of the form with the image to change: its paint, and how much changes. */
export class StartSection extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    brush: { state: true },
    isDragOver: { state: true },
  };
  /** As a share of the image's width. */
  declare brush: number;
  /** Whether a file is dragged over the section. */
  declare isDragOver: boolean;

  static override styles = [
    controls,
    css`
      .empty {
        display: grid;
        justify-items: start;
        gap: 0.5rem;
        padding: 0.75rem;
        border: 1px dashed var(--line);
        border-radius: var(--radius-sm);
      }
      .empty.over {
        border-color: var(--accent);
        background: var(--accent-wash);
      }
      p {
        margin: 0;
      }
      .chosen {
        display: grid;
        gap: 0.6rem;
      }
      .row {
        display: flex;
        align-items: center;
        gap: 0.25rem;
      }
      .row label {
        flex: 1;
        display: flex;
        align-items: center;
        gap: 0.5rem;
        min-width: 0;
      }
      .row span {
        white-space: nowrap;
      }
      input[type='range'] {
        flex: 1;
        min-width: 3rem;
      }
    `,
  ];

  constructor() {
    super();
    this.brush = BRUSH;
    this.isDragOver = false;
  }

  override connectedCallback() {
    super.connectedCallback();
    document.addEventListener('paste', this.#paste);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    document.removeEventListener('paste', this.#paste);
  }

  readonly #paste = ({ clipboardData }: ClipboardEvent) => this.#take(clipboardData);

  #take(data: DataTransfer | null) {
    const file = [...(data?.files ?? [])].find(({ type }) => type.startsWith('image/'));
    if (file) void imagesOf(this.app).startWith(file);
  }

  override render() {
    const { start } = imagesOf(this.app);
    return start ? this.#chosen(start) : this.#empty();
  }

  #empty() {
    const over = (isOver: boolean) => (event: DragEvent) => {
      event.preventDefault();
      this.isDragOver = isOver;
    };
    return html`<div
      class="empty ${this.isDragOver ? 'over' : ''}"
      @dragover=${over(true)}
      @dragleave=${over(false)}
      @drop=${(event: DragEvent) => {
        over(false)(event);
        this.#take(event.dataTransfer);
      }}
    >
      <p class="soft small">${imageStrings.startHint}</p>
      <button
        type="button"
        class="small"
        @click=${() => pickFiles('image/*', ([file]) => void imagesOf(this.app).startWith(file!))}
      >
        ${icon('image')} ${imageStrings.chooseImage}
      </button>
    </div>`;
  }

  #chosen(start: StartImage) {
    const words = imageStrings;
    const images = imagesOf(this.app);
    const { width, height } = images.settings;
    const { lines } = start;
    const button = (label: string, name: 'undo' | 'close', isDisabled: boolean, run: () => void) =>
      html`<button type="button" class="plain round" aria-label=${label} data-tip=${label} ?disabled=${isDisabled} @click=${run}>
        ${icon(name)}
      </button>`;
    return html`<div class="chosen">
      <tabd-paint-canvas
        .start=${start}
        .size=${{ width, height }}
        .brush=${this.brush}
        @paint=${({ detail }: CustomEvent<BrushLine[]>) => images.changeStart({ lines: detail })}
      ></tabd-paint-canvas>
      <p class="soft small">${words.paint}</p>
      <div class="row">
        <label class="small"
          ><span>${words.brush}</span>
          <input
            type="range"
            min="0.02"
            max="0.4"
            step="0.01"
            .value=${String(this.brush)}
            @input=${(event: Event) => {
              this.brush = (event.target as HTMLInputElement).valueAsNumber;
            }}
          />
        </label>
        ${button(words.undoLine, 'undo', lines.length === 0, () => images.changeStart({ lines: lines.slice(0, -1) }))}
        ${button(words.clearPaint, 'close', lines.length === 0, () => images.changeStart({ lines: [] }))}
      </div>
      <div class="row">
        <label class="small" data-tip=${words.strengthHint}
          ><span>${words.strength}</span>
          <input
            type="range"
            min="0.05"
            max="1"
            step="0.05"
            .value=${String(start.strength)}
            @input=${(event: Event) => images.changeStart({ strength: (event.target as HTMLInputElement).valueAsNumber })}
          />
          <span class="num">${Math.round(start.strength * 100)} %</span>
        </label>
      </div>
      <div class="buttons">
        <button type="button" class="small" @click=${() => images.removeStart()}>${words.removeStart}</button>
      </div>
    </div>`;
  }
}

customElements.define('tabd-start-section', StartSection);
