import type { Host, SandboxThread } from '#core/host';
import {
  evaluateRegexJob,
  isQuick,
  type RegexJob,
  type RegexReply,
  type RegexRequest,
} from './run-pattern.ts';

/** Milliseconds that a pattern may take. */
const LIMIT = 10_000;
/** Milliseconds without work after which the thread ends. */
const IDLE = 60_000;

/** A pattern that took too long. */
export class RegexTimeout extends Error {
  override name = 'TimeoutError';
}

/** One thread for patterns, started when it is needed; ended with a pattern that is given up. */
class RegexThread {
  #thread: SandboxThread | undefined;
  #lastId = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;
  readonly #waiting = new Map<number, (answer: RegexReply | Error) => void>();

  constructor(private readonly host: Host) {}

  async run(job: RegexJob, signal: AbortSignal, limit: number): Promise<unknown> {
    signal.throwIfAborted();
    clearTimeout(this.#idle);
    const thread = this.#start();
    const id = ++this.#lastId;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let giveUp: () => void = () => {};
    try {
      const answer = await new Promise<RegexReply | Error>((resolve, reject) => {
        this.#waiting.set(id, resolve);
        giveUp = () => {
          reject(signal.reason);
          this.#end();
        };
        signal.addEventListener('abort', giveUp, { once: true });
        timer = setTimeout(() => {
          reject(
            new RegexTimeout(
              `the pattern took more than ${limit / 1000} s on this text: make it simpler; repetitions inside repetitions, such as (a+)+, try every way to part a text`,
            ),
          );
          this.#end();
        }, limit);
        thread.post({ type: 'pattern', id, job } satisfies RegexRequest);
      });
      if (answer instanceof Error) throw answer;
      if (answer.type === 'pattern-failed') throw new SyntaxError(answer.message);
      return answer.value;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      this.#waiting.delete(id);
      this.#idle = setTimeout(() => this.#end(), IDLE);
      // Node: a thread that waits for patterns keeps no process alive.
      (this.#idle as { unref?: () => void }).unref?.();
    }
  }

  #start(): SandboxThread {
    if (this.#thread) return this.#thread;
    const thread = this.host.sandbox.start();
    this.#thread = thread;
    thread.onMessage((message) => {
      const answer = message as RegexReply;
      if (answer.type === 'pattern-done' || answer.type === 'pattern-failed')
        this.#waiting.get(answer.id)?.(answer);
    });
    thread.gone.then((cause) => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      for (const settle of this.#waiting.values()) settle(cause);
    });
    return thread;
  }

  /** Whoever else waits is told by `gone`. */
  #end(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    thread?.terminate();
    for (const settle of this.#waiting.values())
      settle(new Error('the thread was ended with another pattern'));
  }
}

const byHost = new WeakMap<Host, RegexThread>();

/**
 * As `evaluateRegexJob`, away from the server, so that it goes on answering. Throws `SyntaxError` for patterns that cannot be
 * read, `RegexTimeout`, or the signal's reason.
 * @param limit milliseconds
 */
export async function runRegexJob(
  job: RegexJob,
  { host, signal }: { host: Host; signal: AbortSignal },
  limit = LIMIT,
): Promise<unknown> {
  if (isQuick(job)) return evaluateRegexJob(job);
  const thread = byHost.get(host) ?? new RegexThread(host);
  byHost.set(host, thread);
  return thread.run(job, signal, limit);
}
