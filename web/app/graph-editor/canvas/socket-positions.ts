/** Where sockets are, reckoned from their nodes' measures: nothing is asked of the page's layout. */
import type { NodeId } from 'rete';
import type { ViewNode } from './view-node.ts';

type Side = 'input' | 'output';
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

  /** Nothing to do: `told` is called by the canvas. Part of what renderers expect. */
  attach(): void {}

  /** For the wire in the hand. */
  listen(id: NodeId, side: Side, key: string, changed: (place: Point) => void): () => void {
    const tell = () => {
      const place = this.positionOf(id, side, key);
      if (place) changed(place);
    };
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(tell));
    tell();
    return () => {
      listeners.delete(tell);
      if (listeners.size === 0) this.#listeners.delete(id);
    };
  }

  /** A node has moved or has other measures. */
  nodeMoved(id: NodeId): void {
    for (const tell of this.#listeners.get(id) ?? []) tell();
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
