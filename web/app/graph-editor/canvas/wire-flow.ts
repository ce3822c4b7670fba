import type { Flow, SocketData } from 'rete-connection-plugin';
import type { Link } from '../graph/graph.ts';
import type { GraphState } from '../state/graph-state.ts';
import type { Scheme } from './view-node.ts';

/** An end of a wire that is drawn. */
export type WireEnd = Pick<Link, 'from' | 'output'> | Pick<Link, 'to' | 'input'>;

export interface WireEvents {
  /** A wire is in the hand; undefined: no more. */
  wireChanged(end: WireEnd | undefined): void;
  /** It was let go over empty space: what could go there? */
  wireDropped(end: WireEnd): void;
}

/** What a hand does with a wire: drawn from socket to socket, or by a click on each; pulled off where one is. */
export class WireFlow implements Flow<Scheme, never[]> {
  #held: SocketData | undefined;
  #isUnplugged = false;
  static #count = 0;
  /** All that is done with one wire is undone at once. */
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
      if (event === 'down') this.#take(socket);
      return;
    }
    // Let go where it was picked up: the next click says where it goes.
    if (event === 'up' && isSame(held, socket)) return;
    const link = linkBetween(held, socket);
    this.cancel();
    if (link) this.state.connect(link, this.#key);
  }

  #take(socket: SocketData): void {
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

function linkBetween(one: SocketData, other: SocketData): Link | undefined {
  if (one.side === other.side) return undefined;
  const [out, into] = one.side === 'output' ? [one, other] : [other, one];
  return { from: out.nodeId, output: Number(out.key), to: into.nodeId, input: into.key };
}
