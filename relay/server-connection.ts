import { type FrameChannel, FrameClient, FrameError, NotAccepted, PeerLost } from '#core/frames';
import { findNewestServer } from './find-server.ts';
import { coordinationChannel, newPeerLock, type ServerIdentity, serverLock } from './lock-names.ts';
import type { CoordinationMessage } from './messages.ts';
import { holdLock, waitForLockRelease } from './web-locks.ts';

/** Milliseconds that a server has to say hello, and to take a request. */
export const ACCEPT_TIMEOUT = 2000;

/** Hands one end of a channel to the server worker and returns the other; undefined when there is no way to it now. */
export type OpenServerChannel = (server: ServerIdentity, held: string[]) => Promise<FrameChannel | undefined>;

/** No server answers; `message` says what a person can do. */
export class NoServer extends FrameError {
  override name = 'NoServer';
}

/**
 * The connection of one caller (a service worker, a page) to whichever server worker is the newest: found by its lock,
 * kept while it lives, and given up as soon as its lock is free.
 */
export class ServerConnection {
  #current: { client: FrameClient; epoch: number } | undefined;
  #connecting: Promise<FrameClient> | undefined;
  #ownLock: Promise<{ name: string; release(): void }> | undefined;
  /** Grows with every `close`, so that a connection still being made then is not kept. */
  #life = 0;

  constructor(
    readonly scope: string,
    private readonly build: string,
    private readonly reach: OpenServerChannel,
  ) {}

  /** The living connection, if there is one. */
  get client(): FrameClient | undefined {
    return this.#current?.client.lossCause ? undefined : this.#current?.client;
  }

  /** Throws `NoServer` when nobody answers in time. */
  async connect(): Promise<FrameClient> {
    if (this.client) return this.client;
    if (!this.#connecting) {
      const connecting = this.#establish(this.#life).finally(() => {
        if (this.#connecting === connecting) this.#connecting = undefined;
      });
      this.#connecting = connecting;
    }
    return this.#connecting;
  }

  /** The server took no request: drop it here and have the pages look after it. */
  complain(client: FrameClient): void {
    if (this.#current?.client !== client) return;
    this.#report(this.#current.epoch);
    client.lose(new PeerLost('the tab that answers does not react'));
  }

  /** Cancels everything under way. */
  async close(): Promise<void> {
    this.#life += 1;
    this.#connecting = undefined;
    this.#current?.client.close('the page was left');
    this.#current = undefined;
    const lock = this.#ownLock;
    this.#ownLock = undefined;
    (await lock)?.release();
  }

  async #establish(life: number): Promise<FrameClient> {
    const deadline = performance.now() + ACCEPT_TIMEOUT;
    const silent = new Set<number>();
    for (;;) {
      const found = await findNewestServer(this.scope, deadline, silent);
      if (!found) {
        throw new NoServer(
          silent.size > 0
            ? 'The tab that answers does not react; another one takes over. Ask again in a moment.'
            : 'No open tab answers. Open tabd in a tab of this browser and ask again.',
        );
      }
      const client = await this.#greet(found.server, found.held);
      if (this.#life !== life) {
        client?.close('the page was left');
        throw new PeerLost('the page was left');
      }
      if (client) {
        this.#current = { client, epoch: found.server.epoch };
        return client;
      }
      // A server whose page is just learning its client id can be reached a moment later.
      if (performance.now() >= deadline) silent.add(found.server.epoch);
      else await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  async #greet(server: ServerIdentity, held: string[]): Promise<FrameClient | undefined> {
    const { name: lock } = await this.#hold();
    const channel = await this.reach(server, held);
    if (!channel) return undefined;
    const client = new FrameClient(channel, { build: this.build, lock, acceptTimeout: ACCEPT_TIMEOUT });
    const stop = new AbortController();
    client.gone.then(() => stop.abort());
    waitForLockRelease(serverLock(this.scope, server), stop.signal).then(
      () => client.lose(new PeerLost('the tab that answered is gone')),
      () => {},
    );
    const timer = setTimeout(() => {
      this.#report(server.epoch);
      client.lose(new NotAccepted('the tab that answers does not react'));
    }, ACCEPT_TIMEOUT);
    try {
      await client.handshakeDone;
    } catch (cause) {
      if (!(cause instanceof PeerLost || cause instanceof NotAccepted)) throw cause;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
    return client;
  }

  /** Our own lock has to be held before anybody is told its name. */
  #hold(): Promise<{ name: string; release(): void }> {
    this.#ownLock ??= (async () => {
      const name = newPeerLock(this.scope);
      return { name, release: await holdLock(name) };
    })();
    return this.#ownLock;
  }

  #report(epoch: number): void {
    const channel = new BroadcastChannel(coordinationChannel(this.scope));
    channel.postMessage({ call: 'unresponsive', epoch } satisfies CoordinationMessage);
    channel.close();
  }
}
