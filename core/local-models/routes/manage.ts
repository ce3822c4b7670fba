/** POST /api/pull and DELETE /api/delete */
import type { RouteCall } from '../../http/api.ts';
import { ApiError } from '../../http/api-error.ts';
import { readJson } from '../../http/body.ts';
import { earlyHead } from '../../http/early-head.ts';
import { bool, decodeBody, string, struct } from '../../http/json/decode.ts';
import { printJson } from '../../http/json/print.ts';
import { emptyResponse, textResponse } from '../../http/respond.ts';
import { ndjsonResponse, textStream } from '../../http/stream.ts';
import type { ModelName, ModelRegistry, PullProgress } from '../registry/types.ts';
import type { LocalModels } from './context.ts';
import { BARE_JSON_TYPE, describeFailure, errorBody, nativeFailure } from './failure.ts';
import { modelNotFound } from './run-request.ts';

const pullFields = struct('api.PullRequest', {
  model: string,
  name: string,
  insecure: bool,
  stream: bool,
  username: string,
  password: string,
});

/** Fields in the order of the recordings; a pull that has not begun to download has no `completed`. */
const pullLine = ({ status, digest, total, completed }: PullProgress) =>
  `${printJson({ status, digest, total: total || undefined, completed: completed || undefined })}\n`;

async function* pullLines(
  first: Promise<IteratorResult<PullProgress>>,
  iterator: AsyncIterator<PullProgress>,
): AsyncGenerator<string> {
  try {
    for (let next = await first; !next.done; next = await iterator.next()) yield pullLine(next.value);
  } finally {
    await iterator.return?.().catch(() => {});
  }
}

/** Only refused names have a status of their own; what fails later is told in the stream, or as 500 without one. */
export async function pull(
  { registry, host }: LocalModels,
  { request, signal }: RouteCall,
): Promise<Response> {
  const body = decodeBody(pullFields, await readJson(request, signal));
  const model = body.model || body.name || '';
  const stream = body.stream ?? true;
  const begin = (stopped: AbortSignal) => registry.pull({ model, insecure: body.insecure ?? false }, stopped);
  return earlyHead(
    async (head) => {
      const iterator = begin(head.signal)[Symbol.asyncIterator]();
      const first = iterator.next();
      if (stream) {
        await first;
        const lines = pullLines(first, iterator);
        return ndjsonResponse(textStream(lines, (error) => `${errorBody(error)}\n`, head.stop));
      }
      // An invalid name is refused before the first line; from then on every failure is a 500.
      let last = await first;
      try {
        for (; !last.done; last = await iterator.next());
      } catch (error) {
        if (describeFailure(error).status === 499) throw error;
        return nativeFailure(new ApiError(500, describeFailure(error).message), BARE_JSON_TYPE);
      }
      return textResponse('{"status":"success"}', 200, BARE_JSON_TYPE);
    },
    {
      clock: host.clock,
      contentType: stream ? 'application/x-ndjson' : BARE_JSON_TYPE,
      failure: nativeFailure,
      lateError: (text) => (stream ? `${text}\n` : text),
    },
    signal,
  );
}

const deleteFields = struct('api.DeleteRequest', { model: string, name: string });

function parseForDelete(registry: ModelRegistry, spelled: string): ModelName {
  try {
    return registry.parse(spelled);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(400, `name ${JSON.stringify(spelled)} is invalid`);
  }
}

export async function remove({ registry }: LocalModels, { request, signal }: RouteCall): Promise<Response> {
  const body = decodeBody(deleteFields, await readJson(request, signal));
  const spelled = body.model || body.name || '';
  if (spelled === '') throw new ApiError(400, 'model is required');
  if (!(await registry.delete(parseForDelete(registry, spelled)))) throw modelNotFound(spelled);
  return emptyResponse(200);
}
