import type { Flow, SocketData } from 'rete-connection-plugin';
import type { Link } from '../graph/graph.ts';
import type { GraphState } from '../state/graph-state.ts';
import type { Scheme } from './view-node.ts';

/** The connected end of a wire that is being drawn. */
export type WireEnd = Pick<Link, 'from' | 'output'> | Pick<Link, 'to' | 'input'>;

export interface WireEvents {
  /** The wire that is being drawn, or undefined after it. */
  wireChanged(end: WireEnd | undefined): void;
  /** The wire was dropped over empty space. */
  wireDropped(end: WireEnd): void;
}

/**
 * Drawing a wire: by a drag from socket to socket, or by a click on each. A wire at an input is unplugged by a drag from
 * that input.
 */
export class WireFlow implements Flow<Scheme, never[]> {
  #held: SocketData | undefined;
  #isUnplugged = false;
  static #count = 0;
  /** All edits with one wire are one undo step. */
  readonly #key = `wire ${++WireFlow.#count}`;

  constructor(
    private readonly state: GraphState,
    private readonly events: WireEvents,
  ) {}

  getPickedSocket(): SocketData | undefined {
    return this.#held;
  }

  async pick({ socket, event }: { socket: SocketData; event: 'down' | 'up' }): Promise<void> {
    const held = this.#held;
    if (!held) {
      if (event === 'down') this.#start(socket);
      return;
    }
    // A click on the first socket: the next click selects the second one.
    if (event === 'up' && isSame(held, socket)) return;
    const link = linkBetween(held, socket);
    this.cancel();
    if (link) this.state.connect(link, this.#key);
  }

  #start(socket: SocketData): void {
    const link = socket.side === 'input' ? this.state.linkInto(socket.nodeId, socket.key) : undefined;
    this.#held = link
      ? ({ ...socket, nodeId: link.from, side: 'output', key: String(link.output) } as SocketData)
      : socket;
    if (link) {
      this.#isUnplugged = true;
      this.state.disconnect(link, this.#key);
    }
    this.events.wireChanged(endOf(this.#held));
  }

  drop(): void {
    const held = this.#held;
    this.cancel();
    if (held && !this.#isUnplugged) this.events.wireDropped(endOf(held));
  }

  cancel(): void {
    this.#held = undefined;
    this.events.wireChanged(undefined);
  }
}

const isSame = (a: SocketData, b: SocketData) =>
  a.nodeId === b.nodeId && a.side === b.side && a.key === b.key;

function endOf({ side, nodeId, key }: SocketData): WireEnd {
  return side === 'output' ? { from: nodeId, output: Number(key) } : { to: nodeId, input: key };
}

function linkBetween(first: SocketData, second: SocketData): Link | undefined {
  if (first.side === second.side) return undefined;
  const [out, into] = first.side === 'output' ? [first, second] : [second, first];
  return { from: out.nodeId, output: Number(out.key), to: into.nodeId, input: into.key };
}
