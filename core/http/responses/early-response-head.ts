/**
 * The head of an answer goes out when its status is known, at the latest after 15 s: a service worker that has not
 * answered within 310 s fails, and it learns that its reader has left only once the head is out.
 */
import type { Clock } from '#core/host';
import { textStream } from './text-stream.ts';

/** Milliseconds. */
export const HEAD_WITHIN = 15_000;

export interface EarlyHead {
  clock: Pick<Clock, 'after'>;
  /** Of the answer if all goes well. */
  contentType: string;
  /** More headers of a head that goes out early. */
  headers?: Record<string, string>;
  /** The response to an error that `work` throws. */
  failure(error: unknown): Response;
  /** Turns the body of an answer with an error status into what is written behind a head with status 200. */
  lateError(body: string): string;
}

export interface HeadWork {
  /** Aborts when the client has left. */
  signal: AbortSignal;
  /** To be called when the reader of the returned response leaves. */
  stop(reason?: unknown): void;
  /** From now on the head waits no longer than this many milliseconds. */
  hurry(milliseconds: number): void;
}

async function* bodyOf(response: Response): AsyncGenerator<string> {
  if (!response.body) return;
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const text = decoder.decode(value, { stream: true });
      if (text) yield text;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * The response of `work`. When it takes longer than allowed, a head with status 200 is returned and the answer, or
 * its error, follows in the body.
 */
export async function earlyHead(
  work: (head: HeadWork) => Promise<Response>,
  options: EarlyHead,
  signal: AbortSignal,
): Promise<Response> {
  const leaving = new AbortController();
  const stop = (reason?: unknown) =>
    leaving.abort(reason ?? new DOMException('the client has left', 'AbortError'));
  const timers: (() => void)[] = [];
  let due!: () => void;
  const late = new Promise<undefined>((resolve) => {
    due = () => resolve(undefined);
  });
  const hurry = (milliseconds: number) => void timers.push(options.clock.after(milliseconds, due));
  hurry(HEAD_WITHIN);
  const answer = work({ signal: AbortSignal.any([signal, leaving.signal]), stop, hurry }).catch((error) =>
    options.failure(error),
  );
  const early = await Promise.race([answer, late]);
  for (const cancel of timers) cancel();
  if (early) return early;

  async function* pieces(): AsyncGenerator<string> {
    const response = await answer;
    if (response.status < 400) yield* bodyOf(response);
    else yield options.lateError(await response.text());
  }
  const lastWords = (error: unknown) => options.lateError(String(error));
  return new Response(textStream(pieces(), lastWords, stop), {
    headers: { ...options.headers, 'content-type': options.contentType },
  });
}
