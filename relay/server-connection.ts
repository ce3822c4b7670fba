import { type FrameChannel, FrameClient, FrameError, NotAccepted, PeerLost } from '#core/frames';
import { findNewestServer } from './find-server.ts';
import { coordinationChannel, newPeerLock, type ServerIdentity, serverLock } from './lock-names.ts';
import type { CoordinationMessage } from './messages.ts';
import { holdLock, waitForLockRelease } from './web-locks.ts';

/** Milliseconds that a server has for its `hello`, and for accepting a request. */
export const ACCEPT_TIMEOUT = 2000;

/**
 * Opens a channel: passes one end to the server worker and returns the other. Undefined when the worker cannot be reached.
 * @param held names of the locks that are held on this origin
 */
export type OpenServerChannel = (server: ServerIdentity, held: string[]) => Promise<FrameChannel | undefined>;

/** No server answers. The message says what the user can do. */
export class NoServer extends FrameError {
  override name = 'NoServer';
}

/**
 * The connection of one caller (a service worker or a page) to the newest server worker. A server is found by its lock. The
 * connection ends as soon as that lock is free.
 */
export class ServerConnection {
  #current: { client: FrameClient; epoch: number } | undefined;
  #connecting: Promise<FrameClient> | undefined;
  #ownLock: Promise<{ name: string; release(): void }> | undefined;
  /** How often `close` was called. A connection that began before the last `close` is dropped. */
  #closeCount = 0;

  constructor(
    readonly scope: string,
    private readonly build: string,
    private readonly openChannel: OpenServerChannel,
  ) {}

  /** The client of the living connection, if there is one. */
  get client(): FrameClient | undefined {
    return this.#current?.client.lossCause ? undefined : this.#current?.client;
  }

  /** The client of the living connection, or of a new one. Rejects with `NoServer` when no server answers in time. */
  async connect(): Promise<FrameClient> {
    if (this.client) return this.client;
    if (!this.#connecting) {
      const connecting = this.#establish(this.#closeCount).finally(() => {
        if (this.#connecting === connecting) this.#connecting = undefined;
      });
      this.#connecting = connecting;
    }
    return this.#connecting;
  }

  /** Drops a server that accepts no requests, and asks the pages to check it. */
  reportUnresponsive(client: FrameClient): void {
    if (this.#current?.client !== client) return;
    this.#report(this.#current.epoch);
    client.lose(new PeerLost('the tab that answers does not react'));
  }

  /** Cancels all running requests and releases the caller's lock. */
  async close(): Promise<void> {
    this.#closeCount += 1;
    this.#connecting = undefined;
    this.#current?.client.close('the page was left');
    this.#current = undefined;
    const lock = this.#ownLock;
    this.#ownLock = undefined;
    (await lock)?.release();
  }

  async #establish(closeCount: number): Promise<FrameClient> {
    const deadline = performance.now() + ACCEPT_TIMEOUT;
    /** Epochs of the servers that do not answer. */
    const unresponsive = new Set<number>();
    for (;;) {
      const found = await findNewestServer(this.scope, deadline, unresponsive);
      if (!found) {
        throw new NoServer(
          unresponsive.size > 0
            ? 'The tab that answers does not react; another one takes over. Ask again in a moment.'
            : 'No open tab answers. Open tabd in a tab of this browser and ask again.',
        );
      }
      const client = await this.#greet(found.server, found.held);
      if (this.#closeCount !== closeCount) {
        client?.close('the page was left');
        throw new PeerLost('the page was left');
      }
      if (client) {
        this.#current = { client, epoch: found.server.epoch };
        return client;
      }
      // The server's page may not have announced its client id yet, so the server is tried again until the deadline.
      if (performance.now() >= deadline) unresponsive.add(found.server.epoch);
      else await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** A client after its handshake. Undefined when the server cannot be reached or does not answer. */
  async #greet(server: ServerIdentity, held: string[]): Promise<FrameClient | undefined> {
    const { name: lock } = await this.#holdOwnLock();
    const channel = await this.openChannel(server, held);
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

  /** Resolves when the caller holds its lock. Only then may the server learn the lock's name. */
  #holdOwnLock(): Promise<{ name: string; release(): void }> {
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
