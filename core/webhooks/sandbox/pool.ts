/** Some sandbox threads, started when they are needed, and the scripts spread over them. */
import type { SandboxThreads } from '#core/host';
import type { Script, ScriptResult, ScriptRunner } from '../expressions/create-expressions.ts';
import { ExpressionError } from '../node-api/node-error.ts';
import type { CodeResult, CodeScript } from './code-script.ts';
import type { Limits } from './protocol.ts';
import { SandboxEnded, SandboxFailure, type ScriptServices, ThreadClient } from './thread-client.ts';

export interface PoolSettings {
  /** Threads at once. */
  threads: number;
  expression: Limits;
  code: Limits;
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

  /** Starts the first thread ahead of the first script. */
  warm(): void {
    this.#client();
  }

  async evaluate(script: Script, signal: AbortSignal): Promise<ScriptResult[]> {
    try {
      const job = { type: 'evaluate', script, limits: this.settings.expression } as const;
      return JSON.parse((await this.#client().request(job, signal)) as string);
    } catch (error) {
      if (error instanceof SandboxEnded) return this.evaluate(script, signal);
      if (!(error instanceof SandboxFailure)) throw error;
      throw new ExpressionError(`The expression could not be evaluated: ${error.message}`, { cause: error });
    }
  }

  /** Throws `SandboxFailure`, or the signal's reason. */
  async runCode(script: CodeScript, services: ScriptServices, signal: AbortSignal): Promise<CodeResult> {
    const job = { type: 'code', script, limits: this.settings.code } as const;
    return (await this.#client().request(job, signal, services)) as CodeResult;
  }

  close(): void {
    this.#closed = true;
    for (const client of [...this.#clients]) client.terminate();
  }

  /** An idle thread; another one while all are at work and more are allowed; the least busy one. */
  #client(): ThreadClient {
    if (this.#closed) throw new SandboxFailure({ kind: 'crashed', message: 'the server is closing' });
    const [least] = this.#clients.toSorted((a, b) => a.load - b.load);
    if (least && (least.load === 0 || this.#clients.length >= this.settings.threads)) return least;
    const client = new ThreadClient(this.threads.start(), (gone) => {
      this.#clients = this.#clients.filter((one) => one !== gone);
    });
    this.#clients.push(client);
    // A new one takes a while to start: what is there goes on being used meanwhile.
    return least ?? client;
  }
}
