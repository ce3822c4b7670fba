/** A connection to a server that can be cut, as by a network that loses all packets, or slow. */
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export class CuttableLink {
  readonly #sockets = new Set<Socket>();
  /** The bytes that passed in both directions while `isRecording` was set. */
  readonly seen: Buffer[] = [];
  #isCut = false;
  /** Milliseconds that each piece of data takes longer. */
  delay = 0;
  isRecording = false;

  private constructor(
    readonly port: number,
    private readonly stop: () => void,
  ) {}

  /** @param target the port of the server on this computer */
  static async open(target: number): Promise<CuttableLink> {
    const server = createServer((client) => {
      const remote = connect(target, '127.0.0.1');
      for (const [from, to] of [
        [client, remote],
        [remote, client],
      ] as const) {
        link.#sockets.add(from);
        from.on('error', () => {});
        from.once('close', () => {
          link.#sockets.delete(from);
          to.destroy();
        });
        link.#forward(from, to);
        if (link.#isCut) from.pause();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const link = new CuttableLink((server.address() as AddressInfo).port, () => server.close());
    return link;
  }

  /** Each piece waits for its time, and for the pieces before it. */
  #forward(from: Socket, to: Socket): void {
    let last = Promise.resolve();
    from.on('data', (piece: Buffer) => {
      if (this.isRecording) this.seen.push(piece);
      const wait = this.delay > 0 ? sleep(this.delay) : undefined;
      last = last.then(async () => {
        await wait;
        to.write(piece);
      });
    });
    from.on('end', () => void last.then(() => to.end()));
  }

  /** From now on nothing arrives, and no connection is closed. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Everything that was sent meanwhile arrives. */
  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.stop();
    for (const socket of this.#sockets) socket.destroy();
  }
}
