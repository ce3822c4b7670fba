/** In a tab an answer's head has to be out within 310 s, or the service worker's request fails. */
import type { Host } from '#core/host';

/** Milliseconds. */
const HEAD_WITHIN = 240_000;

/**
 * The answer; in a tab, one that takes longer begins as 200 with JSON, and its body follows when it is there, whatever
 * its status. Elsewhere callers wait as long as they like.
 */
export async function lateHead(
  answer: Promise<Response>,
  { platform, clock }: Pick<Host, 'platform' | 'clock'>,
  cors: [string, string][],
): Promise<Response> {
  if (platform !== 'tab') return answer;
  let stop = () => {};
  const late = new Promise<undefined>((resolve) => {
    stop = clock.after(HEAD_WITHIN, () => resolve(undefined));
  });
  const early = await Promise.race([answer, late]).finally(() => stop());
  if (early) return early;
  const headers = new Headers([...cors, ['content-type', 'application/json; charset=utf-8']]);
  let reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      reader ??= (await answer).body?.getReader();
      const next = await reader?.read();
      if (!next || next.done) return controller.close();
      controller.enqueue(next.value);
    },
    cancel: (reason) => reader?.cancel(reason),
  });
  return new Response(body, { status: 200, headers });
}
