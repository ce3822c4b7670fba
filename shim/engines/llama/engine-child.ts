import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { deserializeEngineError, EngineCrashed, type Log, ModelCorrupt, OutOfMemory } from '#core/host';
import { engineEntry } from './engine-entry.ts';
import { EventStream } from './event-stream.ts';
import type { EngineCommand, LoadCommand, LoadedInfo, Report } from './protocol.ts';

interface PendingReply {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The shim's end of one engine process. When the process ends, all pending replies are rejected. */
export class EngineChild {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, PendingReply>();
  readonly #streams = new Map<number, EventStream>();
  #load: { onProgress(fraction: number): void; waiting: PendingReply } | undefined;
  #nextId = 1;
  #ended: Error | undefined;
  #disposed = false;
  #errorOutput = '';
  /** Resolves with the cause when the process ends without `dispose`. */
  readonly crashed: Promise<Error>;

  /** @param entry the file that the process runs, and Node's options for it */
  constructor(
    private readonly log: Log | undefined,
    { path, execArgv } = engineEntry(),
  ) {
    this.#process = fork(path, [], {
      execArgv,
      // Only the shim writes to standard output. Native code reports errors on standard error.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    this.#process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-4000);
    });
    this.#process.on('message', (report: Report) => this.#onReport(report));
    this.crashed = new Promise((resolve) => {
      const end = (cause: Error) => {
        if (this.#ended) return;
        this.#ended = cause;
        for (const waiting of this.#waiting.values()) waiting.reject(cause);
        for (const stream of this.#streams.values()) stream.fail(cause);
        this.#load?.waiting.reject(this.#loadFailure(cause));
        this.#waiting.clear();
        this.#streams.clear();
        if (!this.#disposed) resolve(cause);
      };
      this.#process.on('error', (error) =>
        end(new EngineCrashed(`the engine process failed: ${error.message}`)),
      );
      // `close` is emitted after standard error was read completely.
      this.#process.on('close', (code, signal) => end(this.#crash(code, signal)));
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Loads the model. Aborting `signal` ends the process. */
  async load(
    command: LoadCommand,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<LoadedInfo> {
    const onAbort = () => void this.dispose();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise<LoadedInfo>((resolve, reject) => {
        this.#load = { onProgress, waiting: { resolve: resolve as PendingReply['resolve'], reject } };
        if (this.#ended) reject(this.#ended);
        else this.send(command);
      });
    } catch (error) {
      await this.dispose();
      signal.throwIfAborted();
      throw error;
    } finally {
      this.#load = undefined;
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Sends a command that has one reply. Aborting `signal` rejects, but does not stop the work. */
  ask<T>(command: (id: number) => EngineCommand, signal?: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#ended) throw this.#ended;
      const id = this.#nextId++;
      const onAbort = () => {
        this.#waiting.delete(id);
        reject(signal!.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const settled = () => signal?.removeEventListener('abort', onAbort);
      this.#waiting.set(id, {
        resolve: (value) => {
          settled();
          resolve(value as T);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
      this.send(command(id));
    });
  }

  /** Sends a command that is answered by events. The caller closes the stream. */
  open(command: (id: number) => EngineCommand): { id: number; stream: EventStream; close(): void } {
    if (this.#ended) throw this.#ended;
    const id = this.#nextId++;
    const stream = new EventStream();
    this.#streams.set(id, stream);
    this.send(command(id));
    return { id, stream, close: () => this.#streams.delete(id) };
  }

  send(command: EngineCommand): void {
    // If the process has just ended, its `close` event rejects the pending replies.
    if (this.#process.connected) this.#process.send(command, () => {});
  }

  /** Kills the process. Native code has no state to save. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    if (this.#ended || this.#process.pid === undefined) return;
    const closed = once(this.#process, 'close');
    this.#process.kill('SIGKILL');
    await closed;
  }

  #onReport(report: Report): void {
    switch (report.type) {
      case 'loading':
        this.#load?.onProgress(report.fraction);
        return;
      case 'loaded':
        this.#load?.waiting.resolve(report.loaded);
        return;
      case 'load-failed':
        this.#load?.waiting.reject(deserializeEngineError(report.failure));
        return;
      case 'events':
        this.#streams.get(report.id)?.push(report.events);
        return;
      case 'result':
        this.#waiting.get(report.id)?.resolve(report.value);
        this.#waiting.delete(report.id);
        return;
      case 'failed':
        this.#waiting.get(report.id)?.reject(deserializeEngineError(report.failure));
        this.#waiting.delete(report.id);
        this.#streams.get(report.id)?.fail(deserializeEngineError(report.failure));
        return;
      case 'log':
        this.log?.debug(`llama.cpp: ${report.message}`, { level: report.level, engine: this.pid });
    }
  }

  #crash(code: number | null, signal: NodeJS.Signals | null): EngineCrashed {
    if (this.#disposed) return new EngineCrashed('the engine was ended');
    const ending = signal ? `by ${signal}` : `with code ${code}`;
    const errorLine = this.#lastErrorLine();
    return new EngineCrashed(`the engine process ended ${ending}${errorLine ? ` (${errorLine})` : ''}`);
  }

  /** The most likely reason why a process ended while it loaded a model. */
  #loadFailure(crash: Error): Error {
    const { signalCode } = this.#process;
    if (this.#disposed) return crash;
    if (signalCode === 'SIGKILL' || /bad_alloc|out of memory/i.test(this.#errorOutput)) {
      return new OutOfMemory(
        'the system ended the engine process while it loaded the model, most likely because memory ran out',
        { cause: crash },
      );
    }
    if (/GGML_ASSERT|GGML_ABORT/.test(this.#errorOutput)) {
      return new ModelCorrupt(`llama.cpp aborted while reading it: ${this.#lastErrorLine()}`, {
        cause: crash,
      });
    }
    return crash;
  }

  #lastErrorLine(): string | undefined {
    const lines = this.#errorOutput.split('\n').filter((line) => line.trim() !== '');
    return lines.find((line) => /GGML_ASSERT|GGML_ABORT|error/i.test(line))?.trim() ?? lines.at(-1)?.trim();
  }
}
