/** A connection to a server that can be cut, as by a network that loses all packets. */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export class CuttableLink {
  readonly #sockets = new Set<Socket>();
  #isCut = false;

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
        from.pipe(to);
        if (link.#isCut) from.pause();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const link = new CuttableLink((server.address() as AddressInfo).port, () => server.close());
    return link;
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
