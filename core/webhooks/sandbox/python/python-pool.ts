/** Threads for Python. A thread runs one script at a time, and ends when nothing has used it for a while. */
import type { SandboxThreads } from '#core/host';
import type { CodeResult, CodeScript } from '../code-script.ts';
import type { ScriptLimits } from '../protocol.ts';
import { SandboxError, type ScriptServices, ThreadClient } from '../thread-client.ts';

/** The largest number of threads at the same time: each takes about 100 MB. */
const MAX_THREADS = 2;
/** Milliseconds after which idle threads end. */
const IDLE = 60_000;
/** Milliseconds that a thread may take to start: in a browser it may download Python first. */
const START_LIMIT = 600_000;

export class PythonPool {
  readonly #idle: ThreadClient[] = [];
  readonly #all = new Set<ThreadClient>();
  /** Scripts that wait for a thread, in the order of their arrival. */
  readonly #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #busy = 0;
  #isClosed = false;

  constructor(
    private readonly threads: SandboxThreads,
    private readonly limits: { code: ScriptLimits },
  ) {}

  /** Rejects with `SandboxError`, or with the signal's reason. */
  async runCode(script: CodeScript, services: ScriptServices, signal: AbortSignal): Promise<CodeResult> {
    await this.#enter(signal);
    try {
      if (this.#isClosed) throw new SandboxError({ kind: 'crashed', message: 'the server is closing' });
      const client = this.#idle.pop() ?? this.#start();
      const job = { type: 'code', script, limits: this.limits.code } as const;
      try {
        const result = (await client.request(job, signal, services)) as CodeResult;
        if (this.#all.has(client)) this.#idle.push(client);
        return result;
      } catch (error) {
        // The script may still run: only the end of its thread stops it.
        client.terminate();
        throw error;
      }
    } finally {
      this.#leave();
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const client of [...this.#all]) client.terminate();
  }

  #start(): ThreadClient {
    const client = new ThreadClient(
      this.threads.start(),
      (ended) => {
        this.#all.delete(ended);
        const index = this.#idle.indexOf(ended);
        if (index >= 0) this.#idle.splice(index, 1);
      },
      START_LIMIT,
    );
    this.#all.add(client);
    return client;
  }

  /** Waits until fewer scripts run than threads are allowed. */
  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    clearTimeout(this.#timer);
    if (this.#busy < MAX_THREADS) {
      this.#busy++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        signal.removeEventListener('abort', cancel);
        resolve();
      };
      const cancel = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.#waiting.push(start);
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    // The next script takes the place over.
    if (next) {
      next();
      return;
    }
    this.#busy--;
    if (this.#busy > 0 || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      for (const client of [...this.#idle]) client.terminate();
    }, IDLE);
  }
}
