/** The places of a queue of prompts in a cluster: this process, and the others that do the work of this API. */
import { errorMessage } from '#core/base';
import { type Cluster, type Log, PeerNotReached } from '#core/host';
import { readLines } from '#core/http';
import type { LocalPlace } from '../execution/local-place.ts';
import type { Prompt } from '../execution/prompt.ts';
import {
  type FreeOptions,
  PlaceClosing,
  PlaceLost,
  type PromptEnd,
  type PromptPlace,
  type PromptPlaces,
} from '../execution/prompt-place.ts';
import { toRecord } from '../execution/prompt-store.ts';
import type { PromptListener } from '../sockets/prompt-listener.ts';
import { FREE_PATH, INTERRUPT_PATH, PROMPTS_PATH } from './peer-paths.ts';
import { deliver, type PromptMessage } from './prompt-messages.ts';

/** Milliseconds for which a process is not used after it did not take a prompt. */
const PAUSE = 2000;
/** Milliseconds in which a process must answer a short request. */
const ANSWER_TIMEOUT = 10_000;

/** The API of requests between processes. */
export const API = 'image-workflows';

interface PeerParts {
  cluster: Cluster;
  log: Log;
  /** Milliseconds of a monotonic clock. */
  now(): number;
}

export class PeerPlaces implements PromptPlaces {
  readonly #peers = new Map<string, PeerPlace>();

  constructor(
    private readonly local: LocalPlace,
    private readonly parts: PeerParts,
  ) {}

  list(): PromptPlace[] {
    const { cluster, now } = this.parts;
    const workers = cluster.workers(API);
    for (const process of this.#peers.keys()) if (!workers.includes(process)) this.#peers.delete(process);
    return workers.flatMap((process): PromptPlace[] => {
      if (process === cluster.process) return [this.local];
      const place = this.#peers.get(process) ?? new PeerPlace(process, this.parts);
      this.#peers.set(process, place);
      return place.pausedUntil > now() ? [] : [place];
    });
  }

  onChange(listener: () => void): void {
    this.parts.cluster.onWorkers(listener);
  }
}

/** Another process, which runs one prompt at a time. */
class PeerPlace implements PromptPlace {
  pausedUntil = 0;

  constructor(
    readonly process: string,
    private readonly parts: PeerParts,
  ) {}

  async run(prompt: Prompt, listener: PromptListener, signal: AbortSignal): Promise<PromptEnd> {
    const leaving = new AbortController();
    const interrupt = () => {
      if (signal.reason instanceof PlaceClosing) leaving.abort(signal.reason);
      else void this.#post(INTERRUPT_PATH, {});
    };
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      const body = await this.#begin(prompt, leaving.signal);
      if (signal.aborted) interrupt();
      for await (const line of readLines(body)) {
        const last = deliver(JSON.parse(line) as PromptMessage, listener);
        if (last?.kind === 'end') return last.end;
        if (last) throw this.#lost(`${this.process} is closing`, false);
      }
      throw this.#lost(`${this.process} sent no end`, true);
    } catch (error) {
      throw error instanceof PlaceLost ? error : this.#lost(errorMessage(error), true);
    } finally {
      signal.removeEventListener('abort', interrupt);
      leaving.abort();
    }
  }

  free(options: FreeOptions): void {
    void this.#post(FREE_PATH, options);
  }

  /** @returns the messages */
  async #begin(prompt: Prompt, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | null> {
    const { process: leader } = this.parts.cluster;
    const request = postRequest(PROMPTS_PATH, { leader, prompt: toRecord(prompt) }, signal);
    try {
      const response = await this.parts.cluster.ask(this.process, API, request);
      if (response.ok) return response.body;
      // 409: it still runs a prompt of an earlier leader.
      throw this.#lost(`${this.process} answered ${response.status}`, response.status !== 409);
    } catch (error) {
      if (error instanceof PeerNotReached) throw this.#lost(error.message, false);
      throw error;
    }
  }

  async #post(path: string, body: object): Promise<void> {
    const request = postRequest(path, body, AbortSignal.timeout(ANSWER_TIMEOUT));
    try {
      await this.parts.cluster.ask(this.process, API, request);
    } catch (error) {
      this.parts.log.warn('a process of the cluster does not answer', {
        process: this.process,
        path,
        error: errorMessage(error),
      });
    }
  }

  #lost(message: string, mayHaveRun: boolean): PlaceLost {
    this.pausedUntil = this.parts.now() + PAUSE;
    return new PlaceLost(message, mayHaveRun);
  }
}

/** A request to another process. */
export const postRequest = (path: string, body: object, signal: AbortSignal) =>
  new Request(`http://${API}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
