import type { Server } from '#core/http';
import { MAX_LOGGED_BODY, type RequestNote, requestChannel, WATCH_DURATION, type WatchMessage } from '#relay';
import { TokenReader, tellsTokens } from './token-counts.ts';

const TEXT = /^(text\/|application\/(.+\+)?(json|xml|x-www-form-urlencoded|x-ndjson))/i;

/**
 * A server that tells its requests while somebody watches, and costs nothing otherwise. Headers are not told: they may
 * hold keys.
 */
export function watchedServer(
  server: Server,
  scope: string,
  channel: BroadcastChannel = new BroadcastChannel(requestChannel(scope)),
  now: () => number = Date.now,
): Server {
  let until = 0;
  let count = 0;
  const first = now();
  const tell = (note: RequestNote) => channel.postMessage(note);
  channel.onmessage = ({ data }: MessageEvent<Partial<WatchMessage> | undefined>) => {
    if (data?.watch) until = now() + WATCH_DURATION;
  };
  return {
    connect: (request, context) => server.connect(request, context),
    close: () => server.close(),
    async fetch(request, context) {
      if (now() > until) return server.fetch(request, context);
      const at = now();
      const id = `${first}:${count++}`;
      const { pathname, search } = new URL(request.url);
      const contentType = request.headers.get('content-type') ?? undefined;
      tell({
        note: 'begun',
        id,
        at,
        method: request.method,
        path: pathname + search,
        listener: context.listener,
        ...(contentType && { contentType }),
      });
      if (request.body && (!contentType || TEXT.test(contentType))) {
        void beginningOf(request.clone()).then(
          (body) => tell({ note: 'body', id, ...body }),
          () => {},
        );
      }
      const response = await server.fetch(request, context);
      tell({ note: 'answered', id, status: response.status, ms: now() - at });
      const tokens = response.ok && tellsTokens(pathname) ? new TokenReader() : undefined;
      return counted(response, tokens, (bytes, error) =>
        tell({
          note: 'ended',
          id,
          ms: now() - at,
          bytes,
          ...(tokens?.counts && { tokens: tokens.counts }),
          ...(error && { error }),
        }),
      );
    },
  };
}

/** The first characters; the rest is not read. */
async function beginningOf(request: Request): Promise<{ text: string; cut: boolean }> {
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), cut: false };
    text += decoder.decode(value, { stream: true });
    if (text.length <= MAX_LOGGED_BODY) continue;
    void reader.cancel();
    return { text: text.slice(0, MAX_LOGGED_BODY), cut: true };
  }
}

/** The same response, which says how its body ended: to its end, broken off, or no longer wanted. */
function counted(
  response: Response,
  tokens: TokenReader | undefined,
  ended: (bytes: number, error?: string) => void,
): Response {
  if (!response.body) {
    ended(0);
    return response;
  }
  let bytes = 0;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            ended(bytes);
          } else {
            bytes += value.byteLength;
            tokens?.take(value);
            controller.enqueue(value);
          }
        } catch (error) {
          controller.error(error);
          ended(bytes, error instanceof Error ? error.message : String(error));
        }
      },
      async cancel(reason) {
        ended(bytes, 'the caller left');
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
