import type { AreaPlugin } from 'rete-area-plugin';
import type { NodeId } from '../graph/graph.ts';
import type { Point } from './socket-positions.ts';
import type { Scheme } from './view-node.ts';

// biome-ignore lint/suspicious/noExplicitAny: rete's plugins type the signals of all others
type Any = any;

/** Positions an element without a transform: the browser would compose hundreds of transforms with every move. */
export function setPosition(element: HTMLElement, { x, y }: Point): void {
  element.style.transform = '';
  element.style.left = `${x}px`;
  element.style.top = `${y}px`;
}

/** Moves many nodes during a drag, once per frame and without rete's signals. */
export class NodeDrag {
  #from = new Map<NodeId, Point>();
  #frame = 0;
  #by: Point = { x: 0, y: 0 };

  constructor(
    private readonly area: AreaPlugin<Scheme, Any>,
    private readonly onMove: (id: NodeId) => void,
  ) {}

  has(id: NodeId): boolean {
    return this.#from.has(id);
  }

  start(ids: Iterable<NodeId>): void {
    this.#from = new Map();
    for (const id of ids) {
      const place = this.area.nodeViews.get(id)?.position;
      if (place) this.#from.set(id, { ...place });
    }
    this.#by = { x: 0, y: 0 };
  }

  /** Moves the nodes to their start position plus `by`, rounded to pixels, in the next frame. */
  moveBy(by: Point): void {
    this.#by = { x: Math.round(by.x), y: Math.round(by.y) };
    this.#frame ||= requestAnimationFrame(() => this.#put());
  }

  #put(): void {
    this.#frame = 0;
    for (const [id, from] of this.#from) {
      const view = this.area.nodeViews.get(id);
      if (!view) continue;
      view.position = { x: from.x + this.#by.x, y: from.y + this.#by.y };
      setPosition(view.element, view.position);
      this.onMove(id);
    }
  }

  /** Ends the drag. Returns the final positions. */
  end(): Map<NodeId, Point> {
    if (this.#frame !== 0) {
      cancelAnimationFrame(this.#frame);
      this.#put();
    }
    const places = new Map<NodeId, Point>();
    for (const id of this.#from.keys()) {
      const place = this.area.nodeViews.get(id)?.position;
      if (place) places.set(id, { ...place });
    }
    this.#from = new Map();
    return places;
  }
}
