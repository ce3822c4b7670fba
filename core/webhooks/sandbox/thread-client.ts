/** The core's end of one sandbox thread: requests with ids, their answers, and an end to threads that hang. */
import type { SandboxThread } from '#core/host';
import type { Failure, FromThread, ToThread } from './protocol.ts';

export class SandboxFailure extends Error {
  override name = 'SandboxFailure';
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/** What a running script asks of the core. */
export interface ScriptServices {
  call(method: string, args: unknown[]): Promise<unknown>;
  console(line: string): void;
}

/** The thread had to be ended for another script: this one can be run again elsewhere. */
export class SandboxEnded extends SandboxFailure {
  override name = 'SandboxEnded';
}

type Job =
  | Omit<Extract<ToThread, { type: 'evaluate' }>, 'id'>
  | Omit<Extract<ToThread, { type: 'code' }>, 'id'>;

interface Pending {
  /** Milliseconds that it may compute at a stretch. */
  time: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  services: ScriptServices | undefined;
}

/** While scripts are under way, a thread is asked so often whether it still listens (milliseconds). */
const LOOK_EVERY = 2000;
/** One that has not answered this long after a script's own limit is ended (milliseconds). */
const GRACE = 2000;
/** For starting, on a busy machine (milliseconds). */
const START_LIMIT = 30_000;

export class ThreadClient {
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #look: ReturnType<typeof setTimeout> | undefined;
  #hung: ReturnType<typeof setTimeout> | undefined;
  #ready = false;
  #gone = false;

  constructor(
    private readonly thread: SandboxThread,
    private readonly onGone: (client: ThreadClient) => void,
  ) {
    thread.onMessage((message) => this.#receive(message as FromThread));
    thread.gone.then((cause) =>
      this.#end({ kind: 'crashed', message: `the sandbox ended: ${cause.message}` }),
    );
    this.#giveTime(START_LIMIT);
  }

  /** Scripts not answered yet. */
  get load(): number {
    return this.#pending.size;
  }

  /** Throws `SandboxFailure`, or the signal's reason. */
  async request(job: Job, signal: AbortSignal, services?: ScriptServices): Promise<unknown> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const cancel = () => {
      this.#pending.get(id)?.reject(signal.reason);
      this.#settle(id);
      if (!this.#gone) this.thread.post({ type: 'cancel', id } satisfies ToThread);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { time: job.limits.time, resolve, reject, services });
        if (this.#gone) this.#fail(id, { kind: 'crashed', message: 'the sandbox has ended' });
        else {
          this.thread.post({ ...job, id } as ToThread);
          this.#watch();
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
        this.#stopWatch();
        this.#watch();
        break;
      case 'pong':
        this.#stopWatch();
        this.#watch();
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
      answer = { type: 'answer', id, call, error: error instanceof Error ? error.message : String(error) };
    }
    if (!this.#gone && this.#pending.has(id)) this.thread.post(answer);
  }

  #fail(id: number, failure: Failure): void {
    this.#pending.get(id)?.reject(new SandboxFailure(failure));
    this.#settle(id);
  }

  #settle(id: number): void {
    this.#pending.delete(id);
    if (!this.#ready) return;
    if (this.#pending.size === 0) this.#stopWatch();
    // It has got on to the next one, and the question whether it listens waits behind that.
    else if (this.#hung) this.#giveTime(this.#longest());
  }

  /**
   * Computing is limited inside of the sandbox; this is for what that does not see. What a script itself makes its
   * thread say (calls, lines of the console) tells nothing: only a thread in which nothing computes answers a ping.
   */
  #watch(): void {
    if (!this.#ready || this.#hung || this.#pending.size === 0) return;
    this.#look ??= setTimeout(() => {
      this.#look = undefined;
      this.#giveTime(this.#longest());
      this.thread.post({ type: 'ping' } satisfies ToThread);
    }, LOOK_EVERY);
  }

  #longest(): number {
    return Math.max(...[...this.#pending.values()].map(({ time }) => time)) + GRACE;
  }

  #giveTime(milliseconds: number): void {
    clearTimeout(this.#hung);
    this.#hung = setTimeout(() => {
      this.#end({ kind: 'time', message: 'it ran for too long, and did not let itself be stopped' });
      this.thread.terminate();
    }, milliseconds);
  }

  #stopWatch(): void {
    clearTimeout(this.#look);
    clearTimeout(this.#hung);
    this.#look = undefined;
    this.#hung = undefined;
  }

  #end(failure: Failure): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#stopWatch();
    // What computes is the oldest of those that only compute; the others had no chance.
    const [culprit] = [...this.#pending].filter(([, { services }]) => !services).map(([id]) => id);
    for (const [id, { services, reject }] of [...this.#pending]) {
      if (failure.kind === 'time' && !services && id !== culprit) reject(new SandboxEnded(failure));
      else this.#fail(id, failure);
    }
    this.#pending.clear();
    this.onGone(this);
  }
}
