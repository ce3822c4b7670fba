import {
  type CoordinationMessage,
  coordinationChannel,
  heldLockNames,
  holdLock,
  isNewerBuild,
  leaderLock,
  serversInLocks,
  stealLock,
  type TabIdentity,
  tabLock,
  tabsInLocks,
} from '#relay';

/** The time of a page as leader, in which it runs the server worker. */
export interface LeaderTerm {
  readonly epoch: number;
  /** The number of running requests, which the end of the term would interrupt. */
  running(): Promise<number>;
  /** Replaces a server worker that does not respond. */
  restart(): void;
  end(): void;
}

/** Milliseconds until a ping fails. Replacing a server that is only busy would interrupt its responses. */
const PING_TIMEOUT = 4000;
const IDLE_POLL = 500;

/**
 * Takes part in the election of the leader until it is stopped. The leader holds a Web Lock; the pages wait for it in
 * order. An older build resigns for a newer one when nothing runs. A frozen leader is replaced.
 */
export class Leadership {
  readonly #stopped = new AbortController();
  readonly #calls: BroadcastChannel;
  #term: LeaderTerm | undefined;
  #resign: (() => void) | undefined;
  #leaveTab: (() => void) | undefined;

  constructor(
    private readonly scope: string,
    private readonly identity: TabIdentity,
    private readonly begin: (epoch: number) => LeaderTerm,
  ) {
    this.#calls = new BroadcastChannel(coordinationChannel(scope));
    this.#calls.addEventListener('message', ({ data }: MessageEvent<CoordinationMessage>) => {
      if (data.call === 'newer') this.#yieldToNewer();
      else if (data.call === 'unresponsive') this.#checkServer(data.epoch);
    });
  }

  async run(): Promise<void> {
    const leave = await holdLock(tabLock(this.scope, this.identity));
    if (this.#stopped.signal.aborted) return leave();
    this.#leaveTab = leave;
    this.#call({ call: 'newer' });
    while (!this.#stopped.signal.aborted) await this.#compete({ signal: this.#stopped.signal });
  }

  /** Ends the leader term, if there is one, and leaves the election. */
  stop(): void {
    this.#stopped.abort();
    this.#end();
    this.#leaveTab?.();
    this.#calls.close();
  }

  async #compete(options: LockOptions): Promise<void> {
    try {
      await navigator.locks.request(leaderLock(this.scope), options, () => this.#lead());
    } catch (cause) {
      // Another page stole the lock because this one was frozen, or this one was stopped.
      this.#end();
      if ((cause as Error).name !== 'AbortError') throw cause;
    }
  }

  async #lead(): Promise<void> {
    const held = await heldLockNames();
    if (this.#stopped.signal.aborted) return;
    if (this.#isOutdated(held)) {
      // This page lets the newer page go first, which waits for the lock already or will in a moment.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return;
    }
    const newest = serversInLocks(this.scope, held)[0]?.epoch ?? 0;
    await new Promise<void>((resign) => {
      this.#resign = resign;
      this.#term = this.begin(Math.max(Date.now(), newest + 1));
    });
  }

  #end(): void {
    this.#term?.end();
    this.#term = undefined;
    this.#resign?.();
    this.#resign = undefined;
  }

  #isOutdated(held: string[]): boolean {
    return tabsInLocks(this.scope, held).some((tab) => isNewerBuild(tab, this.identity));
  }

  /** Resigns for a newer build as soon as nothing runs. */
  async #yieldToNewer(): Promise<void> {
    const term = this.#term;
    while (term && this.#term === term && this.#isOutdated(await heldLockNames())) {
      const running = await term.running().catch(() => 0);
      if (running === 0 && this.#term === term) return this.#end();
      await new Promise((resolve) => setTimeout(resolve, IDLE_POLL));
    }
  }

  /** Handles a report that the server of `epoch` does not respond: one page pings it, and replaces it if it is frozen. */
  async #checkServer(epoch: number): Promise<void> {
    await navigator.locks.request(stealLock(this.scope), { ifAvailable: true }, async (lock) => {
      if (!lock || this.#stopped.signal.aborted) return;
      if (serversInLocks(this.scope, await heldLockNames())[0]?.epoch !== epoch) return;
      if ((await this.#ping(epoch)) || this.#stopped.signal.aborted) return;
      if (this.#term?.epoch === epoch) this.#term.restart();
      else this.#compete({ steal: true });
    });
  }

  #ping(epoch: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (answered: boolean) => {
        clearTimeout(timer);
        this.#calls.removeEventListener('message', listen);
        resolve(answered);
      };
      const listen = ({ data }: MessageEvent<CoordinationMessage>) => {
        if (data.call === 'pong' && data.epoch === epoch) done(true);
      };
      const timer = setTimeout(() => done(false), PING_TIMEOUT);
      this.#calls.addEventListener('message', listen);
      this.#call({ call: 'ping', epoch });
    });
  }

  #call(message: CoordinationMessage): void {
    this.#calls.postMessage(message);
  }
}
