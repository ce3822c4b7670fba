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

/** What a page does while it leads. */
export interface LeaderTerm {
  readonly epoch: number;
  /** How much an end would cut. */
  running(): Promise<number>;
  /** Begins anew: its server no longer reacts. */
  restart(): void;
  end(): void;
}

/** Milliseconds that a suspected server has to answer a ping: replacing one that is only busy would cut its answers. */
const PING_TIMEOUT = 4000;
const IDLE_POLL = 500;

/**
 * Takes part in the election of the page that leads, for as long as it is not stopped: first come, first served by
 * one Web Lock. Older builds give way to newer ones when nothing runs; a leader that is frozen is replaced.
 */
export class Leadership {
  readonly #stopped = new AbortController();
  readonly #calls: BroadcastChannel;
  #tenure: LeaderTerm | undefined;
  #resign: (() => void) | undefined;
  #leaveTab: (() => void) | undefined;

  constructor(
    private readonly scope: string,
    private readonly me: TabIdentity,
    private readonly begin: (epoch: number) => LeaderTerm,
  ) {
    this.#calls = new BroadcastChannel(coordinationChannel(scope));
    this.#calls.addEventListener('message', ({ data }: MessageEvent<CoordinationMessage>) => {
      if (data.call === 'newer') this.#giveWay();
      else if (data.call === 'unresponsive') this.#examine(data.epoch);
    });
  }

  async run(): Promise<void> {
    const leave = await holdLock(tabLock(this.scope, this.me));
    if (this.#stopped.signal.aborted) return leave();
    this.#leaveTab = leave;
    this.#call({ call: 'newer' });
    while (!this.#stopped.signal.aborted) await this.#compete({ signal: this.#stopped.signal });
  }

  /** Ends the tenure, if any, and takes no further part. */
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
      // Another page has taken the lock away from this one, which was frozen. (Or this one was stopped.)
      this.#end();
      if ((cause as Error).name !== 'AbortError') throw cause;
    }
  }

  async #lead(): Promise<void> {
    const held = await heldLockNames();
    if (this.#stopped.signal.aborted) return;
    if (this.#isOutdated(held)) {
      // The newer page is queued for the lock already, or will be in a moment.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return;
    }
    const newest = serversInLocks(this.scope, held)[0]?.epoch ?? 0;
    await new Promise<void>((resign) => {
      this.#resign = resign;
      this.#tenure = this.begin(Math.max(Date.now(), newest + 1));
    });
  }

  #end(): void {
    this.#tenure?.end();
    this.#tenure = undefined;
    this.#resign?.();
    this.#resign = undefined;
  }

  #isOutdated(held: string[]): boolean {
    return tabsInLocks(this.scope, held).some((tab) => isNewerBuild(tab, this.me));
  }

  /** A newer build waits: resigns as soon as nothing runs. */
  async #giveWay(): Promise<void> {
    const tenure = this.#tenure;
    while (tenure && this.#tenure === tenure && this.#isOutdated(await heldLockNames())) {
      const running = await tenure.running().catch(() => 0);
      if (running === 0 && this.#tenure === tenure) return this.#end();
      await new Promise((resolve) => setTimeout(resolve, IDLE_POLL));
    }
  }

  /** Somebody got no answer from the server of `epoch`: one page looks after it, and replaces it if it is frozen. */
  async #examine(epoch: number): Promise<void> {
    await navigator.locks.request(stealLock(this.scope), { ifAvailable: true }, async (lock) => {
      if (!lock || this.#stopped.signal.aborted) return;
      if (serversInLocks(this.scope, await heldLockNames())[0]?.epoch !== epoch) return;
      if ((await this.#ping(epoch)) || this.#stopped.signal.aborted) return;
      if (this.#tenure?.epoch === epoch) this.#tenure.restart();
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
