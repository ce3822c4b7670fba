/** Positions of sockets, computed from the geometry of their nodes without reading the page's layout. */
import type { NodeId } from 'rete';
import type { ViewNode } from './view-node.ts';

type Side = 'input' | 'output';
/** A position in pixels of the graph. */
export interface Point {
  x: number;
  y: number;
}

export class SocketPositions {
  readonly #listeners = new Map<NodeId, Set<() => void>>();

  constructor(
    private readonly nodeOf: (id: NodeId) => ViewNode | undefined,
    private readonly placeOf: (id: NodeId) => Point | undefined,
  ) {}

  /** Part of the interface that renderers expect. The canvas calls `nodeMoved` instead. */
  attach(): void {}

  /** Calls `changed` with the position of a socket, now and after each move. Returns a function that ends this. */
  listen(id: NodeId, side: Side, key: string, changed: (place: Point) => void): () => void {
    const notify = () => {
      const place = this.positionOf(id, side, key);
      if (place) changed(place);
    };
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(notify));
    notify();
    return () => {
      listeners.delete(notify);
      if (listeners.size === 0) this.#listeners.delete(id);
    };
  }

  /** Notifies the listeners of a node that was moved or resized. */
  nodeMoved(id: NodeId): void {
    for (const notify of this.#listeners.get(id) ?? []) notify();
  }

  positionOf(id: NodeId, side: Side, key: string): Point | undefined {
    const node = this.nodeOf(id);
    const place = this.placeOf(id);
    if (!node || !place) return undefined;
    const { width, inputs, outputs } = node.geometry;
    const y = side === 'input' ? inputs.get(key) : outputs[Number(key)];
    return y === undefined ? undefined : { x: place.x + (side === 'output' ? width : 0), y: place.y + y };
  }
}
