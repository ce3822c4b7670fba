import { type FrameServer, socketChannel } from '#core/frames';
import type { BridgeLink } from '#relay';
import type { FrameSource } from './serve.ts';

const SHORTEST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/** Answers what arrives at the ports of a shim: a WebSocket to it, opened again whenever it breaks. */
export class Bridge {
  #link: BridgeLink | undefined;
  #server: FrameServer | undefined;
  #pause = SHORTEST_PAUSE;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly frames: FrameSource) {}

  /** undefined ends the connection. */
  to(link: BridgeLink | undefined): void {
    this.#link = link;
    clearTimeout(this.#timer);
    this.#server?.close('the bridge was switched off in the tab');
    this.#pause = SHORTEST_PAUSE;
    this.#connect();
  }

  #connect(): void {
    const link = this.#link;
    if (link === undefined) return;
    // The shim has checked its clients and says who they are.
    const server = this.frames.serve(socketChannel(new WebSocket(link.url, link.protocols) as never), true);
    this.#server = server;
    server.handshakeDone.then(
      () => {
        this.#pause = SHORTEST_PAUSE;
      },
      () => {},
    );
    server.gone.then(() => {
      if (this.#link !== link || this.#server !== server) return;
      this.#timer = setTimeout(() => this.#connect(), this.#pause);
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
    });
  }
}
