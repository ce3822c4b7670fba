import type { AreaPlugin } from 'rete-area-plugin';
import type { Area } from '../graph/graph.ts';
import type { Point } from './socket-positions.ts';
import type { Scheme } from './view-node.ts';

// biome-ignore lint/suspicious/noExplicitAny: rete's plugins type the signals of all others
type Any = any;

export const MAX_ZOOM = 2.5;
export const MIN_ZOOM = 0.08;
/** Below this zoom the fields of nodes are illegible and hidden. */
const LEGIBLE_ZOOM = 0.36;
/** Below this zoom sockets are too small for the pointer and hidden. */
const CLICKABLE_ZOOM = 0.22;
/** Share of the canvas that the graph fills after `fit`. */
const MARGIN = 0.88;
/** Margin in pixels around a revealed node. */
const EDGE = 24;

/**
 * The visible part of the graph. An outer layer pans, so that panning repaints nothing. The holder within it zooms, so
 * that its content stays sharp.
 */
export class Viewport {
  readonly #layer = document.createElement('div');

  constructor(
    private readonly container: HTMLElement,
    private readonly area: AreaPlugin<Scheme, Any>,
  ) {
    this.#layer.className = 'layer';
    this.#layer.append(this.holder);
    container.prepend(this.#layer);
    this.applyTransform();
  }

  /** The element that contains nodes, wires and groups in coordinates of the graph. */
  get holder(): HTMLElement {
    return this.area.area.content.holder;
  }

  get zoom(): number {
    return this.area.area.transform.k;
  }

  isBackground(target: EventTarget | undefined): boolean {
    return target === this.container || target === this.holder || target === this.#layer;
  }

  /** Splits rete's transform between layer and holder. Call it after every change. */
  applyTransform(): void {
    const { x, y, k } = this.area.area.transform;
    this.#layer.style.transform = `translate(${x}px, ${y}px)`;
    this.holder.style.transform = `scale(${k})`;
    this.#layer.classList.toggle('far', k < LEGIBLE_ZOOM);
    this.#layer.classList.toggle('farther', k < CLICKABLE_ZOOM);
    // The dots of the background move with the graph.
    const step = k < 0.45 ? 96 * k : 24 * k;
    this.container.style.backgroundPosition = `${x}px ${y}px`;
    this.container.style.backgroundSize = `${step}px ${step}px`;
  }

  /** Moves a point of the graph near the upper left corner. */
  async moveToCorner({ x, y }: Point): Promise<void> {
    const { k } = this.area.area.transform;
    await this.area.area.translate(80 - x * k, 80 - y * k);
  }

  /** Zooms and pans so that all areas are visible. */
  async fit(areas: readonly Area[]): Promise<void> {
    const { clientWidth, clientHeight } = this.container;
    if (areas.length === 0 || clientWidth === 0) return;
    const left = Math.min(...areas.map(({ x }) => x));
    const top = Math.min(...areas.map(({ y }) => y));
    const width = Math.max(...areas.map((area) => area.x + area.width)) - left;
    const height = Math.max(...areas.map((area) => area.y + area.height)) - top;
    const k = Math.max(MIN_ZOOM, MARGIN * Math.min(clientWidth / width, clientHeight / height, 1));
    const { transform } = this.area.area;
    transform.x = clientWidth / 2 - (left + width / 2) * k;
    transform.y = clientHeight / 2 - (top + height / 2) * k;
    await this.area.area.zoom(k, 0, 0);
    this.applyTransform();
  }

  async zoomBy(factor: number): Promise<void> {
    const { transform } = this.area.area;
    const { clientWidth, clientHeight } = this.container;
    const k = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, transform.k * factor));
    const part = k / transform.k - 1;
    await this.area.area.zoom(
      k,
      (transform.x - clientWidth / 2) * part,
      (transform.y - clientHeight / 2) * part,
    );
  }

  /** Moves the graph by `x` and `y` pixels of the page. */
  async pan(x: number, y: number): Promise<void> {
    const { transform } = this.area.area;
    await this.area.area.translate(transform.x + x, transform.y + y);
  }

  /** Pans as little as needed to make an area visible. */
  async reveal({ x, y, width, height }: Area): Promise<void> {
    const { transform } = this.area.area;
    const { clientWidth, clientHeight } = this.container;
    const overflow = (from: number, size: number, room: number) =>
      from < EDGE ? EDGE - from : Math.min(0, Math.max(EDGE - from, room - EDGE - from - size));
    const dx = overflow(x * transform.k + transform.x, width * transform.k, clientWidth);
    const dy = overflow(y * transform.k + transform.y, height * transform.k, clientHeight);
    if (dx !== 0 || dy !== 0) await this.pan(dx, dy);
  }

  /** Converts a position on the page to one in the graph. */
  toGraph(clientX: number, clientY: number): Point {
    const { left, top } = this.container.getBoundingClientRect();
    const { x, y, k } = this.area.area.transform;
    return { x: (clientX - left - x) / k, y: (clientY - top - y) / k };
  }

  center(): Point {
    const { left, top, width, height } = this.container.getBoundingClientRect();
    return this.toGraph(left + width / 2, top + height / 2);
  }
}
