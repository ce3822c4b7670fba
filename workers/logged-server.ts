import { errorMessage } from '#core/base';
import type { Server } from '#core/http';
import { MAX_LOGGED_BODY, type RequestNote, requestChannel, WATCH_DURATION, type WatchMessage } from '#relay';
import { reportsTokens, TokenCountReader } from './token-counts.ts';

const TEXT_TYPE = /^(text\/|application\/(.+\+)?(json|xml|x-www-form-urlencoded|x-ndjson))/i;

/**
 * A server that sends notes about its requests while a page watches. Notes contain no headers, because those may contain
 * keys.
 */
export function logRequests(
  server: Server,
  scope: string,
  channel: BroadcastChannel = new BroadcastChannel(requestChannel(scope)),
  now: () => number = Date.now,
): Server {
  let watchedUntil = 0;
  let count = 0;
  const createdAt = now();
  const send = (note: RequestNote) => channel.postMessage(note);
  channel.onmessage = ({ data }: MessageEvent<Partial<WatchMessage> | undefined>) => {
    if (data?.watch) watchedUntil = now() + WATCH_DURATION;
  };
  return {
    connect: (request, context) => server.connect(request, context),
    close: () => server.close(),
    async fetch(request, context) {
      if (now() > watchedUntil) return server.fetch(request, context);
      const at = now();
      const id = `${createdAt}:${count++}`;
      const { pathname, search } = new URL(request.url);
      const contentType = request.headers.get('content-type') ?? undefined;
      send({
        note: 'begun',
        id,
        at,
        method: request.method,
        path: pathname + search,
        listener: context.listener,
        ...(contentType && { contentType }),
      });
      if (request.body && (!contentType || TEXT_TYPE.test(contentType))) {
        void readBeginning(request.clone()).then(
          (body) => send({ note: 'body', id, ...body }),
          () => {},
        );
      }
      const response = await server.fetch(request, context);
      send({ note: 'answered', id, status: response.status, ms: now() - at });
      const tokens = response.ok && reportsTokens(pathname) ? new TokenCountReader() : undefined;
      return watchBody(response, tokens, (bytes, error) =>
        send({
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

/** The first `MAX_LOGGED_BODY` characters of a body. The rest is not read. */
async function readBeginning(request: Request): Promise<{ text: string; cut: boolean }> {
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

/**
 * The same response, whose body is counted while it is read.
 * @param onEnd called with the length of the body, and with an error if the body failed or was cancelled
 */
function watchBody(
  response: Response,
  tokens: TokenCountReader | undefined,
  onEnd: (bytes: number, error?: string) => void,
): Response {
  if (!response.body) {
    onEnd(0);
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
            onEnd(bytes);
          } else {
            bytes += value.byteLength;
            tokens?.read(value);
            controller.enqueue(value);
          }
        } catch (error) {
          controller.error(error);
          onEnd(bytes, errorMessage(error));
        }
      },
      async cancel(reason) {
        onEnd(bytes, 'the caller left');
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
