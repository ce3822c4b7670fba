/** The queue, what ran, interrupting and freeing. */

import { ApiError, type Route, type RouteCall } from '#core/http';
import { promptJson } from '../execution/prompt-queue.ts';
import { graphsOf } from '../models/graphs/graph-registry.ts';
import { convertLiteral } from '../python/convert-literal.ts';
import { RawJson } from '../python/python-json.ts';
import { isPythonObject, type PythonObject, pythonStr } from '../python/python-value.ts';
import type { ImageServer } from '../server.ts';
import { empty, json, readValue } from './responses.ts';

export function queueRoutes(server: ImageServer): Route[] {
  return [
    {
      method: 'GET',
      path: '/queue',
      handle: async () => {
        const { queue } = await server.ready();
        const shown = (prompts: typeof queue.pending) => prompts.map((prompt) => promptJson(prompt, true));
        return json({ queue_running: shown(queue.running), queue_pending: shown(queue.pending) });
      },
    },
    {
      method: 'POST',
      path: '/queue',
      handle: async (call) => {
        const { queue } = await server.ready();
        const { clear, ids } = await readDeletion(call);
        if (clear) await queue.remove(() => true);
        if (ids.length > 0) await queue.remove(({ id }) => ids.includes(id));
        return empty(200);
      },
    },
    {
      method: 'GET',
      path: '/history',
      handle: async ({ url }) => {
        const { queue } = await server.ready();
        const max = wholeNumber(url, 'max_items');
        const offset = wholeNumber(url, 'offset');
        const listed = queue.history.list({
          ...(max !== undefined && { max }),
          ...(offset !== undefined && { offset }),
        });
        return json(new Map(listed.map(([id, { entryJson }]) => [id, new RawJson(entryJson)])));
      },
    },
    {
      method: 'GET',
      path: '/history/:id',
      handle: async ({ params }) => {
        const { queue } = await server.ready();
        const found = queue.history.get(params.id!);
        return json(found ? { [params.id!]: new RawJson(found.entryJson) } : {});
      },
    },
    {
      method: 'POST',
      path: '/history',
      handle: async (call) => {
        const { queue } = await server.ready();
        const { clear, ids } = await readDeletion(call);
        if (clear) await queue.history.clear();
        for (const id of ids) await queue.history.delete(id);
        return empty(200);
      },
    },
    {
      method: 'POST',
      path: '/interrupt',
      handle: async (call) => {
        const { queue } = await server.ready();
        // What cannot be read interrupts whatever runs, as an empty body does.
        const body = await readValue(call, new Map()).catch((error) => {
          if (error instanceof ApiError) return new Map() as PythonObject;
          throw error;
        });
        if (!isPythonObject(body))
          throw new ApiError(400, 'the body must be an object: {"prompt_id": "..."} or {}');
        const id = body.get('prompt_id');
        const isMeant = id !== undefined && id !== null && id !== '';
        queue.interrupt(isMeant ? pythonStr(id) : undefined);
        return empty(200);
      },
    },
    {
      method: 'POST',
      path: '/free',
      handle: async (call) => {
        const { cache, queue } = await server.ready();
        const body = await readValue(call);
        if (!isPythonObject(body))
          throw new ApiError(400, 'the body must be an object: {"unload_models": true, "free_memory": true}');
        const isSet = (name: string) => convertLiteral('BOOLEAN', body.get(name) ?? false) === true;
        const freesMemory = isSet('free_memory');
        if (freesMemory || isSet('unload_models'))
          queue.whenIdle(() => {
            // Kept results stay with models alone: what they hold of a model opens it again.
            if (freesMemory) cache.clear();
            void graphsOf(server.host).unload();
          });
        return empty(200);
      },
    },
  ];
}

async function readDeletion(call: RouteCall): Promise<{ clear: boolean; ids: string[] }> {
  const body = await readValue(call);
  if (!isPythonObject(body))
    throw new ApiError(400, 'the body must be an object: {"clear": true} or {"delete": ["id"]}');
  const ids = body.get('delete') ?? [];
  if (!Array.isArray(ids)) throw new ApiError(400, 'delete must be a list of prompt ids');
  return { clear: convertLiteral('BOOLEAN', body.get('clear') ?? false) === true, ids: ids.map(pythonStr) };
}

function wholeNumber(url: URL, name: string): number | undefined {
  const given = url.searchParams.get(name);
  if (given === null) return undefined;
  if (!/^\s*[+-]?\d+\s*$/.test(given)) throw new ApiError(400, `${name} is not a whole number: ${given}`);
  return Number(given);
}
