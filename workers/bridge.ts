import { type FrameServer, REVOKED, socketChannel } from '#core/frames';
import type { BridgeLink } from '#relay';
import type { FrameServers } from './serve.ts';

/** Milliseconds of the first pause between two attempts to connect. The pause doubles with each failure. */
const MIN_PAUSE = 500;
const MAX_PAUSE = 30_000;

/** Answers the requests that arrive at the ports of a shim, over a WebSocket that is opened again whenever it breaks. */
export class Bridge {
  #link: BridgeLink | undefined;
  #server: FrameServer | undefined;
  #pause = MIN_PAUSE;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly frames: FrameServers) {}

  /** Connects to a shim in place of the previous one. `undefined` disconnects. */
  connect(link: BridgeLink | undefined): void {
    this.#link = link;
    clearTimeout(this.#timer);
    this.#server?.close('the bridge was switched off in the tab');
    this.#pause = MIN_PAUSE;
    this.#openSocket();
  }

  #openSocket(): void {
    const link = this.#link;
    if (link === undefined) return;
    // The shim is trusted: it has authenticated its clients and reports their addresses.
    const server = this.frames.serve(socketChannel(new WebSocket(link.url, link.protocols) as never), true);
    this.#server = server;
    server.handshakeDone.then(
      () => {
        this.#pause = MIN_PAUSE;
      },
      () => {},
    );
    server.gone.then((cause) => {
      if (this.#link !== link || this.#server !== server) return;
      if (cause.message === REVOKED) return;
      this.#timer = setTimeout(() => this.#openSocket(), this.#pause);
      this.#pause = Math.min(2 * this.#pause, MAX_PAUSE);
    });
  }
}
