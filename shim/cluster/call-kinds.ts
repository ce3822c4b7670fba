import { peerContext } from './host-cluster.ts';
import type { Peers } from './peers.ts';

/** Milliseconds for which an answer counts. Until then a changed workflow may be treated as before, which only costs time. */
const AGE = 2000;
/** Milliseconds in which a worker must answer. */
const ANSWER_TIMEOUT = 5000;
const MAX_ENTRIES = 10_000;

/** Which calls are answered before their workflow has run. Workers know it. */
export class CallKinds {
  readonly #answers = new Map<string, { at: number; atOnce: Promise<boolean> }>();

  constructor(
    private readonly peers: Pick<Peers, 'fetch'>,
    /** Milliseconds of a monotonic clock. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param worker the process to ask. If it does not answer, the call counts as one that waits for its run */
  isAtOnce({ method, url }: Pick<Request, 'method' | 'url'>, worker: string): Promise<boolean> {
    const { pathname } = new URL(url);
    const key = `${method} ${pathname}`;
    const found = this.#answers.get(key);
    if (found && this.now() - found.at < AGE) return found.atOnce;
    if (this.#answers.size >= MAX_ENTRIES) this.#answers.clear();
    const atOnce = this.#ask(method, pathname, worker).catch(() => false);
    this.#answers.set(key, { at: this.now(), atOnce });
    return atOnce;
  }

  async #ask(method: string, path: string, worker: string): Promise<boolean> {
    const request = new Request(`http://webhooks/peer/calls?${new URLSearchParams({ method, path })}`, {
      signal: AbortSignal.timeout(ANSWER_TIMEOUT),
    });
    const response = await this.peers.fetch(worker, { request, context: peerContext('webhooks') });
    return response.ok && ((await response.json()) as { atOnce: boolean }).atOnce;
  }
}
