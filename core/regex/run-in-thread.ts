import type { Host, SandboxThread } from '#core/host';
import { evaluateRegexJob, isQuick, type RegexJob, type RegexReply, type RegexRequest } from './regex-job.ts';

/** Milliseconds that a job may take. */
const TIME_LIMIT = 10_000;
/** Milliseconds without work after which the thread ends. */
const IDLE_TIME = 60_000;

/** A regular expression took too long on its text. */
export class RegexTimeout extends Error {
  override name = 'TimeoutError';
}

/**
 * A sandbox thread for regular expressions, started by the first job. A running regular expression cannot be interrupted:
 * a timeout or an abort ends the thread, and with it other jobs that wait for it.
 */
class RegexThread {
  #thread: SandboxThread | undefined;
  #lastId = 0;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Map<number, (reply: RegexReply | Error) => void>();

  constructor(private readonly host: Host) {}

  async run(job: RegexJob, signal: AbortSignal, timeLimit: number): Promise<unknown> {
    signal.throwIfAborted();
    clearTimeout(this.#idleTimer);
    const thread = this.#start();
    const id = ++this.#lastId;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let abort: () => void = () => {};
    try {
      const reply = await new Promise<RegexReply | Error>((resolve, reject) => {
        this.#waiting.set(id, resolve);
        abort = () => {
          reject(signal.reason);
          this.#end();
        };
        signal.addEventListener('abort', abort, { once: true });
        timer = setTimeout(() => {
          reject(new RegexTimeout(timeoutMessage(timeLimit)));
          this.#end();
        }, timeLimit);
        thread.post({ type: 'pattern', id, job } satisfies RegexRequest);
      });
      if (reply instanceof Error) throw reply;
      if (reply.type === 'pattern-failed') throw new SyntaxError(reply.message);
      return reply.value;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#waiting.delete(id);
      this.#idleTimer = setTimeout(() => this.#end(), IDLE_TIME);
      // In Node, a thread that only waits for jobs must not keep the process alive.
      (this.#idleTimer as { unref?: () => void }).unref?.();
    }
  }

  #start(): SandboxThread {
    if (this.#thread) return this.#thread;
    const thread = this.host.sandbox.start();
    this.#thread = thread;
    thread.onMessage((message) => {
      const reply = message as RegexReply;
      if (reply.type === 'pattern-done' || reply.type === 'pattern-failed')
        this.#waiting.get(reply.id)?.(reply);
    });
    thread.gone.then((cause) => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      for (const settle of this.#waiting.values()) settle(cause);
    });
    return thread;
  }

  /**
   * Ends the thread, and all of its jobs fail. The job that caused the end has settled before, so its promise ignores
   * this.
   */
  #end(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.terminate();
    for (const settle of this.#waiting.values())
      settle(new Error('the thread was ended with another pattern'));
  }
}

const timeoutMessage = (timeLimit: number) =>
  `the pattern took more than ${timeLimit / 1000} s on this text: make it simpler; repetitions inside repetitions, such as (a+)+, try every way to part a text`;

const threadsByHost = new WeakMap<Host, RegexThread>();

/**
 * Does a job without blocking the server: quick ones at once, others in a thread of the host's sandbox.
 * Rejects with `SyntaxError` for a pattern or replacement with a fault, `RegexTimeout`, or the signal's reason.
 * @param timeLimit milliseconds
 * @returns the value of `RegexJob`
 */
export async function runRegexJob(
  job: RegexJob,
  { host, signal }: { host: Host; signal: AbortSignal },
  timeLimit = TIME_LIMIT,
): Promise<unknown> {
  if (isQuick(job)) return evaluateRegexJob(job);
  const thread = threadsByHost.get(host) ?? new RegexThread(host);
  threadsByHost.set(host, thread);
  return thread.run(job, signal, timeLimit);
}
