import type { RenderPreset } from '@retejs/lit-plugin/_types/presets/types';
import { css, html, LitElement, type PropertyDeclarations } from 'lit';
import { graphStrings } from '../strings.ts';

interface Rect {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Width in pixels. */
const WIDTH = 176;
/** Width divided by height. */
export const MINIMAP_RATIO = 1.6;

/** Data of rete's minimap. All lengths are fractions of its width. */
export interface MinimapData {
  nodes: Rect[];
  viewport: Rect;
  translate(dx: number, dy: number): void;
  point(x: number, y: number): void;
}

/** A small drawing of the whole graph on one canvas: an element for each node would be slow with hundreds. */
export class GraphMinimap extends LitElement {
  static override properties: PropertyDeclarations = { data: { attribute: false } };
  declare data: MinimapData;

  static override styles = css`
    :host {
      position: absolute;
      right: 12px;
      bottom: 12px;
      width: 176px;
      height: 110px;
      border: 1px solid var(--line);
      border-radius: 10px;
      background: color-mix(in srgb, var(--surface) 88%, transparent);
      overflow: hidden;
      cursor: pointer;
      touch-action: none;
    }
    canvas {
      display: block;
      width: 100%;
      height: 100%;
    }
    @media (max-width: 40rem) {
      :host {
        display: none;
      }
    }
  `;

  override render() {
    return html`<canvas
      role="img"
      aria-label=${graphStrings.minimap}
      @pointerdown=${this.#down}
      @dblclick=${(event: Event) => event.stopPropagation()}
    ></canvas>`;
  }

  protected override updated() {
    const canvas = this.renderRoot.querySelector('canvas')!;
    const side = Math.round(WIDTH * devicePixelRatio);
    if (canvas.width !== side) {
      canvas.width = side;
      canvas.height = Math.round(side / MINIMAP_RATIO);
    }
    const context = canvas.getContext('2d')!;
    const style = getComputedStyle(this);
    const color = style.getPropertyValue('color');
    context.fillStyle = context.strokeStyle = color;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.globalAlpha = 0.35;
    for (const { left, top, width, height } of this.data.nodes)
      context.fillRect(left * side, top * side, Math.max(1, width * side), Math.max(1, height * side));
    context.globalAlpha = 0.08;
    const { left, top, width, height } = this.data.viewport;
    context.fillRect(left * side, top * side, width * side, height * side);
    context.globalAlpha = 0.6;
    context.strokeRect(left * side, top * side, width * side, height * side);
  }

  #down(event: PointerEvent) {
    event.stopPropagation();
    const canvas = event.currentTarget as HTMLCanvasElement;
    const jump = ({ clientX, clientY }: PointerEvent) => {
      const box = canvas.getBoundingClientRect();
      this.data.point((clientX - box.left) / box.width, (clientY - box.top) / box.width);
    };
    canvas.setPointerCapture(event.pointerId);
    jump(event);
    canvas.addEventListener('pointermove', jump);
    const end = () => canvas.removeEventListener('pointermove', jump);
    canvas.addEventListener('pointerup', end, { once: true });
    canvas.addEventListener('pointercancel', end, { once: true });
  }
}

customElements.define('tabd-graph-overview', GraphMinimap);

// biome-ignore lint/suspicious/noExplicitAny: signals of several plugins pass here
export const minimapPreset: RenderPreset<any, any> = {
  update: ({ data }) => (data.type === 'minimap' ? { data } : undefined),
  render: ({ data }) =>
    data.type === 'minimap' ? html`<tabd-graph-overview .data=${data}></tabd-graph-overview>` : null,
};
