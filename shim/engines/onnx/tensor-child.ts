import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { EngineCrashed, type Log, type TensorProvider } from '#core/host';
import type { SessionChannel, SessionCommand, SessionReport } from '#core/tensors';
import { tensorEntry } from './tensor-entry.ts';

/**
 * Large results of a network go back to the operating system at once, and get large pages. Otherwise 0.7 GB between
 * smaller results stay in use for Stable Diffusion 1.5 at 512 x 512 pixels. glibc reads this when a process starts.
 * Other systems ignore it.
 */
const ALLOCATION = [
  'glibc.malloc.hugetlb=1',
  'glibc.malloc.mmap_threshold=1048576',
  'glibc.malloc.trim_threshold=16777216',
].join(':');

/** The shim's end of the process of one session. */
export class TensorChild implements SessionChannel<string> {
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  #errorOutput = '';

  /** @param gpu the name of a GPU that a native runtime may use */
  constructor(provider: TensorProvider, log: Log | undefined, gpu?: string) {
    const { path, execArgv } = tensorEntry();
    this.#process = fork(path, [provider, ...(gpu === undefined ? [] : [gpu])], {
      execArgv,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      env: { GLIBC_TUNABLES: ALLOCATION, ...process.env },
    });
    this.#closed = once(this.#process, 'close').catch(() => {});
    this.#process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      log?.debug(`onnxruntime: ${text.trim()}`, { engine: this.#process.pid });
      this.#errorOutput = (this.#errorOutput + text).slice(-4000);
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  send(message: SessionCommand<string>): void {
    // If the process has just ended, its `close` event reports that.
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  listen(heard: (message: SessionReport) => void, ended: (cause: Error) => void): void {
    this.#process.on('message', (message: SessionReport) => heard(message));
    this.#process.on('error', (error) =>
      ended(new EngineCrashed(`the ONNX process failed: ${error.message}`)),
    );
    this.#process.on('close', (code, signal) => {
      const errorLine = this.#errorOutput.split('\n').findLast((line) => line.trim() !== '');
      const how = signal ? `by ${signal}` : `with code ${code}`;
      ended(new EngineCrashed(`the ONNX process ended ${how}${errorLine ? ` (${errorLine.trim()})` : ''}`));
    });
  }

  async end(): Promise<void> {
    if (this.#process.pid === undefined) return;
    this.#process.kill('SIGKILL');
    await this.#closed;
  }
}
