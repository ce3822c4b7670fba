/** The core's end of one sandbox thread: it sends scripts, receives their results, and ends a thread that hangs. */
import { errorMessage } from '#core/base';
import type { SandboxThread } from '#core/host';
import type { FromThread, ToThread } from './protocol.ts';
import type { ScriptFailure } from './script-failure.ts';

export class SandboxError extends Error {
  override name = 'SandboxError';
  constructor(readonly failure: ScriptFailure) {
    super(failure.message);
  }
}

/** The functions of the core that a running script can call. */
export interface ScriptServices {
  call(method: string, args: unknown[]): Promise<unknown>;
  console(line: string): void;
}

/** The thread was ended because of another script: this one can run again in another thread. */
export class SandboxTerminated extends SandboxError {
  override name = 'SandboxEnded';
}

type Job =
  | Omit<Extract<ToThread, { type: 'evaluate' }>, 'id'>
  | Omit<Extract<ToThread, { type: 'code' }>, 'id'>;

interface PendingScript {
  /** Milliseconds that it may compute without a pause. */
  time: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  services: ScriptServices | undefined;
}

/** Milliseconds between two pings while scripts run. */
const PING_INTERVAL = 2000;
/** Milliseconds that the answer to a ping may take beyond the time limit of the scripts. */
const GRACE = 2000;
/** Milliseconds that a thread may take to start, on a busy machine, if its pool names no other time. */
const START_LIMIT = 30_000;

export class ThreadClient {
  readonly #pending = new Map<number, PendingScript>();
  #lastId = 0;
  #pingTimer: ReturnType<typeof setTimeout> | undefined;
  #hangTimer: ReturnType<typeof setTimeout> | undefined;
  #ready = false;
  #hasEnded = false;

  constructor(
    private readonly thread: SandboxThread,
    private readonly onEnd: (client: ThreadClient) => void,
    startLimit = START_LIMIT,
  ) {
    thread.onMessage((message) => this.#receive(message as FromThread));
    thread.gone.then((cause) =>
      this.#end({ kind: 'crashed', message: `the sandbox ended: ${cause.message}` }),
    );
    this.#startHangTimer(startLimit);
  }

  /** Scripts without a result yet. */
  get load(): number {
    return this.#pending.size;
  }

  /** Runs a script. Rejects with `SandboxError`, or with the signal's reason. */
  async request(job: Job, signal: AbortSignal, services?: ScriptServices): Promise<unknown> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const cancel = () => {
      this.#pending.get(id)?.reject(signal.reason);
      this.#settle(id);
      if (!this.#hasEnded) this.thread.post({ type: 'cancel', id } satisfies ToThread);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { time: job.limits.time, resolve, reject, services });
        if (this.#hasEnded) this.#fail(id, { kind: 'crashed', message: 'the sandbox has ended' });
        else {
          this.thread.post({ ...job, id } as ToThread);
          this.#schedulePing();
        }
      });
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  terminate(): void {
    this.#end({ kind: 'crashed', message: 'the sandbox was ended' });
    this.thread.terminate();
  }

  #receive(message: FromThread): void {
    switch (message.type) {
      case 'ready':
        this.#ready = true;
        this.#clearTimers();
        this.#schedulePing();
        break;
      case 'pong':
        this.#clearTimers();
        this.#schedulePing();
        break;
      case 'unusable':
        this.#end({ kind: 'crashed', message: `the sandbox cannot start: ${message.message}` });
        this.thread.terminate();
        return;
      case 'done': {
        this.#pending.get(message.id)?.resolve(message.value);
        this.#settle(message.id);
        break;
      }
      case 'failed':
        this.#fail(message.id, message.failure);
        break;
      case 'console':
        this.#pending.get(message.id)?.services?.console(message.line);
        break;
      case 'call':
        void this.#call(message);
        break;
    }
  }

  async #call({ id, call, method, args }: Extract<FromThread, { type: 'call' }>): Promise<void> {
    const services = this.#pending.get(id)?.services;
    let answer: ToThread;
    try {
      if (!services) throw new Error(`${method} is not available here`);
      answer = { type: 'answer', id, call, value: await services.call(method, args) };
    } catch (error) {
      answer = { type: 'answer', id, call, error: errorMessage(error) };
    }
    if (!this.#hasEnded && this.#pending.has(id)) this.thread.post(answer);
  }

  #fail(id: number, failure: ScriptFailure): void {
    this.#pending.get(id)?.reject(new SandboxError(failure));
    this.#settle(id);
  }

  #settle(id: number): void {
    this.#pending.delete(id);
    if (!this.#ready) return;
    if (this.#pending.size === 0) this.#clearTimers();
    // The ping is queued after the next script, which has a time limit of its own.
    else if (this.#hangTimer) this.#startHangTimer(this.#longestLimit());
  }

  /**
   * The sandbox limits computing itself; pings find what these limits miss. Calls and console lines are no sign that a
   * thread is well: only a thread in which nothing computes answers a ping.
   */
  #schedulePing(): void {
    if (!this.#ready || this.#hangTimer || this.#pending.size === 0) return;
    this.#pingTimer ??= setTimeout(() => {
      this.#pingTimer = undefined;
      this.#startHangTimer(this.#longestLimit());
      this.thread.post({ type: 'ping' } satisfies ToThread);
    }, PING_INTERVAL);
  }

  #longestLimit(): number {
    return Math.max(...[...this.#pending.values()].map(({ time }) => time)) + GRACE;
  }

  #startHangTimer(milliseconds: number): void {
    clearTimeout(this.#hangTimer);
    this.#hangTimer = setTimeout(() => {
      this.#end({ kind: 'time', message: 'it ran for too long, and did not let itself be stopped' });
      this.thread.terminate();
    }, milliseconds);
  }

  #clearTimers(): void {
    clearTimeout(this.#pingTimer);
    clearTimeout(this.#hangTimer);
    this.#pingTimer = undefined;
    this.#hangTimer = undefined;
  }

  #end(failure: ScriptFailure): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#clearTimers();
    // Only the oldest expression can have run: the others have not begun.
    const [culprit] = [...this.#pending].filter(([, { services }]) => !services).map(([id]) => id);
    for (const [id, { services, reject }] of [...this.#pending]) {
      if (failure.kind === 'time' && !services && id !== culprit) reject(new SandboxTerminated(failure));
      else this.#fail(id, failure);
    }
    this.#pending.clear();
    this.onEnd(this);
  }
}
