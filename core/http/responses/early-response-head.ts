/**
 * Sends a response head before the result is known. Clients, and the service worker in between, cancel a response that
 * has no head for long. A service worker notices a disconnect only after the head was sent.
 *
 * ```
 * work is done in time:   its response, as it is
 * work takes longer:      status 200, `contentType` and `headers` at once; the body of its response follows, and
 *                         an error is written into that body
 * ```
 */
import { Deferred } from '#core/base';
import type { Clock } from '#core/host';
import { textStream } from './text-stream.ts';

/** Milliseconds that the local models' routes wait for a result before they send the head. */
export const HEAD_WITHIN = 15_000;

export interface EarlyHeadOptions {
  clock: Pick<Clock, 'after'>;
  /** Milliseconds that the head waits for the result. Undefined: it waits without a limit. */
  within: number | undefined;
  /** The content type of an early head: the one that the result has if all goes well. */
  contentType: string;
  /** Further headers of an early head. */
  headers?: HeadersInit;
  /**
   * The response to an error that `work` throws. Without this function, the promise rejects, or a body that has begun
   * fails.
   */
  failure?(error: unknown): Response;
  /**
   * Turns the body of a response with an error status into the text that is written after an early head. Without this
   * function, the body is written unchanged.
   */
  lateError?(body: string): string;
}

/** How `work` and the response head influence each other. */
export interface EarlyHeadControls {
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** Aborts `signal`. A streaming body that `work` returns calls it when its reader cancels. */
  stop(reason?: unknown): void;
  /** From now on the head waits no longer than this many milliseconds. Undefined changes nothing. */
  sendWithin(milliseconds: number | undefined): void;
}

async function* bodyChunks(response: Response): AsyncGenerator<Uint8Array> {
  if (!response.body) return;
  const reader = response.body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * The response of `work`, or an early head, followed by that response's body.
 * @param signal aborts the work: the client's own signal
 * @throws what `work` throws in time, where there is no `failure`
 */
export async function earlyResponseHead(
  work: (controls: EarlyHeadControls) => Promise<Response>,
  { clock, within, contentType, headers, failure, lateError }: EarlyHeadOptions,
  signal?: AbortSignal,
): Promise<Response> {
  const disconnect = new AbortController();
  const stop = (reason?: unknown) =>
    disconnect.abort(reason ?? new DOMException('the client has left', 'AbortError'));
  const due = new Deferred<undefined>();
  const timers: (() => void)[] = [];
  const sendWithin = (milliseconds: number | undefined) => {
    if (milliseconds !== undefined) timers.push(clock.after(milliseconds, () => due.resolve(undefined)));
  };
  sendWithin(within);
  const result = work({
    signal: signal ? AbortSignal.any([signal, disconnect.signal]) : disconnect.signal,
    stop,
    sendWithin,
  }).catch((error) => {
    if (!failure) throw error;
    return failure(error);
  });
  const inTime = await Promise.race([result, due.promise]).finally(() => {
    for (const cancel of timers) cancel();
  });
  if (inTime) return inTime;

  async function* chunks(): AsyncGenerator<string | Uint8Array> {
    const response = await result;
    if (response.status < 400 || !lateError) yield* bodyChunks(response);
    else yield lateError(await response.text());
  }
  const earlyHeaders = new Headers(headers);
  earlyHeaders.set('content-type', contentType);
  const lastWords = lateError && ((error: unknown) => lateError(String(error)));
  return new Response(textStream(chunks(), lastWords, stop), { headers: earlyHeaders });
}
