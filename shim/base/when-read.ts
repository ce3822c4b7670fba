import { withEnd } from '#core/http';

/** The response, with a call of `ended` when its body was read to the end, failed or was cancelled. */
export function whenRead(response: Response, ended: () => void): Response {
  if (!response.body) {
    ended();
    return response;
  }
  const { status, statusText, headers } = response;
  // Nothing is read before the reader asks for it.
  const body = withEnd(response.body as ReadableStream<Uint8Array<ArrayBuffer>>, ended, { highWaterMark: 0 });
  return new Response(body, { status, statusText, headers });
}
