import type { NodeId } from '../graph/graph.ts';
import type { Point, SocketPositions } from './socket-positions.ts';
import type { ViewLink } from './view-node.ts';

interface Wire {
  link: ViewLink;
  path: SVGPathElement;
  from: Point;
  to: Point;
}

const SVG = 'http://www.w3.org/2000/svg';
/** Distance of a Bézier handle from its socket, as a share of the distance between the sockets. */
const SWING = 0.3;
/** Segments by which the distance to a wire is measured. */
const PIECES = 24;

/**
 * All wires in one SVG: with an element for each wire the browser would compose hundreds of layers with every move.
 * Moved wires are redrawn once per frame.
 */
export class WireLayer {
  readonly #svg = document.createElementNS(SVG, 'svg');
  readonly #wires = new Map<string, Wire>();
  readonly #at = new Map<NodeId, Set<Wire>>();
  readonly #moved = new Set<Wire>();
  #chosen: string | undefined;
  #frame = 0;

  constructor(
    holder: HTMLElement,
    private readonly sockets: SocketPositions,
  ) {
    this.#svg.setAttribute('class', 'wires');
    holder.prepend(this.#svg);
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame);
  }

  add(link: ViewLink, color: string): void {
    const path = document.createElementNS(SVG, 'path');
    path.style.stroke = color;
    const wire = { link, path, from: { x: 0, y: 0 }, to: { x: 0, y: 0 } };
    this.#wires.set(link.id, wire);
    for (const id of [link.source, link.target]) this.#at.set(id, (this.#at.get(id) ?? new Set()).add(wire));
    this.#svg.append(path);
    this.#draw(wire);
  }

  delete(id: string): void {
    const wire = this.#wires.get(id);
    if (!wire) return;
    wire.path.remove();
    this.#wires.delete(id);
    this.#moved.delete(wire);
    for (const node of [wire.link.source, wire.link.target]) this.#at.get(node)?.delete(wire);
  }

  select(id: string | undefined): void {
    if (id === this.#chosen) return;
    const mark = (wire: string | undefined, isChosen: boolean) =>
      wire !== undefined && this.#wires.get(wire)?.path.classList.toggle('chosen', isChosen);
    mark(this.#chosen, false);
    mark(id, true);
    this.#chosen = id;
  }

  /** Redraws the wires of a moved or resized node in the next frame. */
  nodeMoved(id: NodeId): void {
    for (const wire of this.#at.get(id) ?? []) this.#moved.add(wire);
    if (this.#moved.size > 0) this.#frame ||= requestAnimationFrame(() => this.flush());
  }

  /** Draws the moved wires now. */
  flush(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    for (const wire of this.#moved) this.#draw(wire);
    this.#moved.clear();
  }

  #draw(wire: Wire): void {
    const { source, sourceOutput, target, targetInput } = wire.link;
    const from = this.sockets.positionOf(source, 'output', sourceOutput);
    const to = this.sockets.positionOf(target, 'input', targetInput);
    wire.path.style.display = from && to ? '' : 'none';
    if (!from || !to) return;
    Object.assign(wire, { from, to });
    const [handle1, handle2] = handles(from, to);
    wire.path.setAttribute(
      'd',
      `M${from.x} ${from.y}C${handle1} ${from.y} ${handle2} ${to.y} ${to.x} ${to.y}`,
    );
  }

  /** Id of the nearest wire within `reach` pixels of the graph. */
  nearest(place: Point, reach: number): string | undefined {
    let found: string | undefined;
    let least = reach;
    for (const [id, { from, to }] of this.#wires) {
      const distance = distanceTo(place, from, to);
      if (distance > least) continue;
      least = distance;
      found = id;
    }
    return found;
  }
}

/** The x coordinates of the two handles of the Bézier curve. */
function handles(from: Point, to: Point): [number, number] {
  const swing = SWING * Math.max(Math.abs(to.y - from.y) / 2, Math.abs(to.x - from.x));
  return [from.x + swing, to.x - swing];
}

/** Distance of a point from the wire between two sockets, in pixels of the graph. */
export function distanceTo({ x, y }: Point, from: Point, to: Point): number {
  const [handle1, handle2] = handles(from, to);
  let least = Number.POSITIVE_INFINITY;
  let [beforeX, beforeY] = [from.x, from.y];
  for (let piece = 1; piece <= PIECES; piece++) {
    const t = piece / PIECES;
    const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
    const [nextX, nextY] = [
      a * from.x + b * handle1 + c * handle2 + d * to.x,
      (a + b) * from.y + (c + d) * to.y,
    ];
    const [wayX, wayY] = [nextX - beforeX, nextY - beforeY];
    const length = wayX ** 2 + wayY ** 2;
    const part =
      length === 0 ? 0 : Math.min(1, Math.max(0, ((x - beforeX) * wayX + (y - beforeY) * wayY) / length));
    least = Math.min(least, Math.hypot(x - beforeX - part * wayX, y - beforeY - part * wayY));
    [beforeX, beforeY] = [nextX, nextY];
  }
  return least;
}
