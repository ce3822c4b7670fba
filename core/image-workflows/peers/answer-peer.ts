/** Answers the requests of the process that has the queue of prompts. */
import type { Cluster } from '#core/host';
import { emptyResponse } from '#core/http';
import type { LocalPlace } from '../execution/local-place.ts';
import type { Prompt } from '../execution/prompt.ts';
import { type FreeOptions, PlaceClosing } from '../execution/prompt-place.ts';
import { fromRecord, type PromptRecord } from '../execution/prompt-store.ts';
import { FileNumbers } from '../files/file-numbers.ts';
import { FREE_PATH, INTERRUPT_PATH, NUMBERS_PATH, PROMPTS_PATH } from './peer-paths.ts';
import { API, postRequest } from './peer-places.ts';
import { MessageWriter, type PromptMessage } from './prompt-messages.ts';

/** Milliseconds in which the process with the queue must answer. */
const ANSWER_TIMEOUT = 10_000;

/** Runs prompts for other processes. */
export class PeerPrompts {
  /** Interrupts the prompt that runs for another process. */
  #running: AbortController | undefined;
  readonly #numbers = new FileNumbers();
  /** The process that has the queue. Undefined: this one. */
  #leader: string | undefined;
  readonly #work = new Set<Promise<unknown>>();
  #isClosed = false;

  /** @param cluster undefined: this server belongs to none, and is never asked */
  constructor(
    private readonly place: () => LocalPlace,
    private readonly cluster: Cluster | undefined,
  ) {}

  /** A number for a new file, at least `lowest`, that no other process gets. */
  async numberFor(prefix: string, lowest: number): Promise<number> {
    if (this.#leader === undefined || !this.cluster) return this.#numbers.next(prefix, lowest);
    const request = postRequest(NUMBERS_PATH, { prefix, lowest }, AbortSignal.timeout(ANSWER_TIMEOUT));
    const response = await this.cluster.ask(this.#leader, API, request);
    return ((await response.json()) as { number: number }).number;
  }

  async answer(request: Request, { pathname }: URL): Promise<Response> {
    if (request.method !== 'POST') return emptyResponse(404);
    if (pathname === INTERRUPT_PATH) {
      this.#running?.abort(new DOMException('The prompt was interrupted', 'AbortError'));
      return emptyResponse(200);
    }
    const place = this.place();
    if (pathname === NUMBERS_PATH) {
      const { prefix, lowest } = (await request.json()) as { prefix: string; lowest: number };
      return Response.json({ number: this.#numbers.next(prefix, lowest) });
    }
    if (pathname === FREE_PATH) {
      place.free((await request.json()) as FreeOptions);
      return emptyResponse(200);
    }
    if (pathname !== PROMPTS_PATH) return emptyResponse(404);
    const { leader, prompt: record } = (await request.json()) as { leader: string; prompt: PromptRecord };
    const prompt = fromRecord(record);
    if (this.#isClosed || this.#running || place.isBusy) return emptyResponse(409);
    this.#leader = leader;
    return this.#run(prompt, place, request.signal);
  }

  /** Gives the running prompt back, takes no more, and resolves when it has ended. From then on this process may lead. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#leader = undefined;
    this.#running?.abort(new PlaceClosing('this process is closing'));
    await Promise.all(this.#work);
  }

  #run(prompt: Prompt, place: LocalPlace, signal: AbortSignal): Response {
    const controller = new AbortController();
    this.#running = controller;
    const leave = () => controller.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const encoder = new TextEncoder();
    let isRead = true;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (stream) => {
          const write = (message: PromptMessage) => {
            if (isRead) stream.enqueue(encoder.encode(`${JSON.stringify(message)}\n`));
          };
          const writer = new MessageWriter(write, () => -(stream.desiredSize ?? 0));
          const work = place
            .run(prompt, writer, controller.signal)
            .then((end) => {
              const isGivenBack = this.#isClosed && end.outcome === 'interrupted';
              write(isGivenBack ? { kind: 'givenBack' } : { kind: 'end', end });
              if (isRead) stream.close();
            })
            .catch((error) => isRead && stream.error(error))
            .finally(() => {
              this.#running = undefined;
              signal.removeEventListener('abort', leave);
              this.#work.delete(work);
            });
          this.#work.add(work);
        },
        cancel: (reason) => {
          isRead = false;
          controller.abort(reason);
        },
      },
      { highWaterMark: 0, size: (chunk) => chunk.byteLength },
    );
    return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
  }
}
