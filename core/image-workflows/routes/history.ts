/** `GET /history` and its relatives: finished prompts. */
import { emptyResponse, type RouteCall } from '#core/http';
import { RawJson } from '../python/python-json.ts';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { readDeletion } from './deletion.ts';
import { integerParameter } from './query.ts';

export async function listHistory(server: ImageServer, { url }: RouteCall): Promise<Response> {
  const { queue } = await server.ready();
  const max = integerParameter(url.searchParams, 'max_items');
  const offset = integerParameter(url.searchParams, 'offset');
  const records = queue.history.list({
    ...(max !== undefined && { max }),
    ...(offset !== undefined && { offset }),
  });
  return pythonJsonResponse(new Map(records.map(([id, { entryJson }]) => [id, new RawJson(entryJson)])));
}

/** An unknown id gets an empty object. */
export async function showHistoryEntry(server: ImageServer, { params }: RouteCall): Promise<Response> {
  const { queue } = await server.ready();
  const record = queue.history.get(params.id!);
  return pythonJsonResponse(record ? { [params.id!]: new RawJson(record.entryJson) } : {});
}

export async function changeHistory(server: ImageServer, call: RouteCall): Promise<Response> {
  const { queue } = await server.ready();
  const { clear, ids } = await readDeletion(call);
  if (clear) await queue.history.clear();
  for (const id of ids) await queue.history.delete(id);
  return emptyResponse(200);
}
