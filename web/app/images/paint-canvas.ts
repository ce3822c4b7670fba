import { css, html, LitElement, type PropertyDeclarations } from 'lit';
import { imageStrings } from '../strings/images.ts';
import type { ImageSize } from './aspect-ratios.ts';
import { type BrushLine, drawBitmap, drawLines, middlePart, type StartImage } from './start-image.ts';

/** Shows the start image in the size of the result. Lines of the pointer mark what may change. Fires `paint`. */
export class PaintCanvas extends LitElement {
  static override properties: PropertyDeclarations = {
    start: { attribute: false },
    size: { attribute: false },
    brush: { attribute: false },
  };
  declare start: StartImage;
  declare size: ImageSize;
  /** The width of a line, as a share of the image's width. */
  declare brush: number;
  #line: BrushLine | undefined;

  static override styles = css`
    :host {
      display: grid;
      justify-items: center;
      position: relative;
    }
    canvas {
      display: block;
      width: min(100%, 22rem * var(--shape));
      aspect-ratio: var(--shape);
      border-radius: var(--radius-sm);
      background: var(--sunken);
    }
    #paint {
      position: absolute;
      top: 0;
      color: var(--accent);
      opacity: 0.6;
      cursor: crosshair;
      touch-action: none;
      background: none;
    }
  `;

  override render() {
    const { width, height } = this.size;
    this.style.setProperty('--shape', String(width / height));
    return html`<canvas id="bitmap" width=${width} height=${height} aria-hidden="true"></canvas>
      <canvas
        id="paint"
        role="img"
        aria-label=${imageStrings.paint}
        width=${width}
        height=${height}
        @pointerdown=${this.#begin}
        @pointermove=${this.#go}
        @pointerup=${this.#end}
        @pointercancel=${this.#end}
      ></canvas>`;
  }

  override updated() {
    drawBitmap(this.#context('bitmap'), this.start, this.size);
    this.#drawPaint();
  }

  #context(id: 'bitmap' | 'paint'): CanvasRenderingContext2D {
    return this.renderRoot.querySelector<HTMLCanvasElement>(`#${id}`)!.getContext('2d')!;
  }

  #drawPaint() {
    const context = this.#context('paint');
    context.clearRect(0, 0, this.size.width, this.size.height);
    context.strokeStyle = getComputedStyle(context.canvas).color;
    const lines = this.#line ? [...this.start.lines, this.#line] : this.start.lines;
    drawLines(context, { ...this.start, lines }, this.size);
  }

  /** The pointer's position in pixels of the start image. */
  #position({ offsetX, offsetY, target }: PointerEvent): [number, number] {
    const { clientWidth } = target as HTMLCanvasElement;
    const part = middlePart(this.start.bitmap, this.size);
    const scale = part.width / clientWidth;
    return [part.x + offsetX * scale, part.y + offsetY * scale];
  }

  #begin(event: PointerEvent) {
    if (event.button !== 0) return;
    (event.target as HTMLCanvasElement).setPointerCapture(event.pointerId);
    const { width } = middlePart(this.start.bitmap, this.size);
    this.#line = { width: width * this.brush, points: [this.#position(event)] };
    this.#drawPaint();
  }

  #go(event: PointerEvent) {
    if (!this.#line) return;
    this.#line.points.push(this.#position(event));
    this.#drawPaint();
  }

  #end() {
    const line = this.#line;
    this.#line = undefined;
    if (line)
      this.dispatchEvent(new CustomEvent<BrushLine[]>('paint', { detail: [...this.start.lines, line] }));
  }
}

customElements.define('tabd-paint-canvas', PaintCanvas);
