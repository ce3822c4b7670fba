/** Sandbox threads, started when they are needed, over which scripts are distributed. */
import type { SandboxThreads } from '#core/host';
import type { ExpressionScript, ScriptResult, ScriptRunner } from '../expressions/create-expressions.ts';
import { ExpressionError } from '../node-api/node-error.ts';
import type { CodeResult, CodeScript } from './code-script.ts';
import type { ScriptLimits } from './protocol.ts';
import { SandboxError, SandboxTerminated, type ScriptServices, ThreadClient } from './thread-client.ts';

interface PoolSettings {
  /** The largest number of threads at the same time. */
  threads: number;
  expression: ScriptLimits;
  code: ScriptLimits;
}

export const DEFAULT_LIMITS = {
  expression: { time: 2000 },
  code: { time: 10_000 },
};

export class SandboxPool implements ScriptRunner {
  #clients: ThreadClient[] = [];
  #closed = false;

  constructor(
    private readonly threads: SandboxThreads,
    private readonly settings: PoolSettings,
  ) {}

  /** Starts the first thread before the first script comes. */
  warm(): void {
    this.#client();
  }

  /** Rejects with `ExpressionError` when the sandbox failed (time, memory), or with the signal's reason. */
  async evaluate(script: ExpressionScript, signal: AbortSignal): Promise<ScriptResult[]> {
    try {
      const job = { type: 'evaluate', script, limits: this.settings.expression } as const;
      return JSON.parse((await this.#client().request(job, signal)) as string);
    } catch (error) {
      if (error instanceof SandboxTerminated) return this.evaluate(script, signal);
      if (!(error instanceof SandboxError)) throw error;
      throw new ExpressionError(`The expression could not be evaluated: ${error.message}`, { cause: error });
    }
  }

  /** Rejects with `SandboxError`, or with the signal's reason. */
  async runCode(script: CodeScript, services: ScriptServices, signal: AbortSignal): Promise<CodeResult> {
    const job = { type: 'code', script, limits: this.settings.code } as const;
    return (await this.#client().request(job, signal, services)) as CodeResult;
  }

  close(): void {
    this.#closed = true;
    for (const client of [...this.#clients]) client.terminate();
  }

  /**
   * Returns an idle thread, otherwise the least busy one. If all are busy and more are allowed, it also starts another
   * thread.
   */
  #client(): ThreadClient {
    if (this.#closed) throw new SandboxError({ kind: 'crashed', message: 'the server is closing' });
    const [least] = this.#clients.toSorted((a, b) => a.load - b.load);
    if (least && (least.load === 0 || this.#clients.length >= this.settings.threads)) return least;
    const started = new ThreadClient(this.threads.start(), (ended) => {
      this.#clients = this.#clients.filter((client) => client !== ended);
    });
    this.#clients.push(started);
    // A new thread takes a while to start: until then the busy one is the faster one.
    return least ?? started;
  }
}
