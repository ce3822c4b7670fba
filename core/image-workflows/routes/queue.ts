/** The queue, interrupts, and the memory that prompts leave occupied. */
import { ApiError, emptyResponse, type RouteCall } from '#core/http';
import { BodyNotJson } from '../errors.ts';
import type { Prompt } from '../execution/prompt.ts';
import { promptJson } from '../execution/prompt-json.ts';
import { convertLiteral } from '../python/convert-literal.ts';
import { pythonStr } from '../python/python-repr.ts';
import { isPythonObject, type PythonObject, type PythonValue } from '../python/python-value.ts';
import { readJsonBody } from '../request-body.ts';
import { pythonJsonResponse } from '../responses.ts';
import type { ImageServer } from '../server/image-server.ts';
import { readDeletion } from './deletion.ts';

export async function showQueueLength(server: ImageServer): Promise<Response> {
  const { queue } = await server.ready();
  return pythonJsonResponse({ exec_info: { queue_remaining: queue.remaining } });
}

export async function showQueue(server: ImageServer): Promise<Response> {
  const { queue } = await server.ready();
  const listed = (prompts: readonly Prompt[]) => prompts.map((prompt) => promptJson(prompt, true));
  return pythonJsonResponse({ queue_running: listed(queue.running), queue_pending: listed(queue.pending) });
}

/** Removes pending prompts. */
export async function changeQueue(server: ImageServer, call: RouteCall): Promise<Response> {
  const { queue } = await server.ready();
  const { clear, ids } = await readDeletion(call);
  if (clear) await queue.remove(() => true);
  if (ids.length > 0) await queue.remove(({ id }) => ids.includes(id));
  return emptyResponse(200);
}

/** Interrupts the prompt of the body's `prompt_id`; without an id, the running one. */
export async function interruptPrompt(server: ImageServer, call: RouteCall): Promise<Response> {
  const { queue } = await server.ready();
  const body = await readInterrupt(call);
  if (!isPythonObject(body))
    throw new ApiError(400, 'the body must be an object: {"prompt_id": "..."} or {}');
  const id = body.get('prompt_id');
  const hasId = id !== undefined && id !== null && id !== '';
  queue.interrupt(hasId ? pythonStr(id) : undefined);
  return emptyResponse(200);
}

/** A body that cannot be read counts as an empty one. */
async function readInterrupt(call: RouteCall): Promise<PythonValue> {
  const empty: PythonObject = new Map();
  try {
    return await readJsonBody(call, empty);
  } catch (error) {
    if (error instanceof BodyNotJson) return empty;
    throw error;
  }
}

/** Releases models and cached results once no prompt runs. */
export async function freeMemory(server: ImageServer, call: RouteCall): Promise<Response> {
  const { queue } = await server.ready();
  const body = await readJsonBody(call);
  if (!isPythonObject(body))
    throw new ApiError(400, 'the body must be an object: {"unload_models": true, "free_memory": true}');
  const isSet = (name: string) => convertLiteral('BOOLEAN', body.get(name) ?? false) === true;
  const freesResults = isSet('free_memory');
  if (freesResults || isSet('unload_models')) queue.free({ results: freesResults });
  return emptyResponse(200);
}
