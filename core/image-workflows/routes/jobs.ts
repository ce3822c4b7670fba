/** Prompts that wait, run or have run, in one list. */

import { ApiError, type Route } from '#core/http';
import type { HistoryRecord } from '../execution/history.ts';
import type { Prompt } from '../execution/prompt.ts';
import { RawJson } from '../python/python-json.ts';
import { isPythonObject } from '../python/python-value.ts';
import type { ImageServer, ReadyServices } from '../server.ts';
import { empty, json } from './responses.ts';

const STATUSES = ['pending', 'in_progress', 'completed', 'failed'];

export interface Job {
  id: string;
  status: string;
  priority: number;
  create_time?: number;
  execution_start_time?: number;
  execution_end_time?: number;
  execution_error?: unknown;
  outputs_count?: number;
  preview_output?: unknown;
  workflow_id?: string;
}

export function jobRoutes(server: ImageServer): Route[] {
  return [
    {
      method: 'GET',
      path: '/jobs',
      handle: async ({ url: { searchParams: query } }) => {
        const statuses = listOf(query.get('status'), STATUSES, 'status');
        const [sortBy] = listOf(query.get('sort_by'), ['created_at', 'execution_duration'], 'sort_by') ?? [
          'created_at',
        ];
        const [order] = listOf(query.get('sort_order'), ['asc', 'desc'], 'sort_order') ?? ['desc'];
        const limit = countOf(query, 'limit', 1);
        const offset = countOf(query, 'offset', 0) ?? 0;
        const workflow = query.get('workflow_id');
        const all = allJobs(await server.ready()).filter(
          ({ status, workflow_id }) =>
            (!statuses || statuses.includes(status)) && (workflow === null || workflow_id === workflow),
        );
        const value = (job: Job) => (sortBy === 'created_at' ? (job.create_time ?? 0) : duration(job));
        all.sort((a, b) => (order === 'asc' ? value(a) - value(b) : value(b) - value(a)));
        const jobs = all.slice(offset, limit === undefined ? undefined : offset + limit);
        const pagination = {
          offset,
          limit: limit ?? null,
          total: all.length,
          has_more: offset + jobs.length < all.length,
        };
        return json({ jobs, pagination });
      },
    },
    {
      method: 'GET',
      path: '/jobs/:id',
      handle: async ({ params }) => {
        const job = findJob(await server.ready(), params.id!);
        return job ? json(job) : json({ error: 'Job not found' }, 404);
      },
    },
    {
      method: 'POST',
      path: '/jobs/:id/cancel',
      handle: async ({ params }) => {
        const { queue } = await server.ready();
        const id = params.id!;
        const dropped = await queue.remove((prompt) => prompt.id === id);
        if (dropped > 0 || queue.interrupt(id) || queue.history.get(id)) return empty(200);
        return json({ error: 'Job not found' }, 404);
      },
    },
  ];
}

const duration = ({ execution_start_time: start, execution_end_time: end }: Job) =>
  start === undefined || end === undefined ? 0 : end - start;

function allJobs({ queue }: ReadyServices): Job[] {
  return [
    ...queue.history.list().map(([id, record]) => pastJob(id, record)),
    ...queue.running.map((prompt) => waitingJob(prompt, 'in_progress')),
    ...queue.pending.map((prompt) => waitingJob(prompt, 'pending')),
  ];
}

function findJob({ queue }: ReadyServices, id: string): Record<string, unknown> | undefined {
  const running = queue.running.find((prompt) => prompt.id === id);
  const waiting = running ?? queue.pending.find((prompt) => prompt.id === id);
  if (waiting)
    return {
      ...waitingJob(waiting, running ? 'in_progress' : 'pending'),
      workflow: { prompt: new RawJson(waiting.graphJson), extra_data: new Map(waiting.extraData) },
    };
  const record = queue.history.get(id);
  if (!record) return undefined;
  const { prompt, outputs, status } = readEntry(record);
  return {
    ...pastJob(id, record),
    outputs,
    execution_status: status,
    workflow: { prompt: prompt[2], extra_data: prompt[3] },
  };
}

function waitingJob(prompt: Prompt, status: string): Job {
  const info = prompt.extraData.get('extra_pnginfo');
  const workflow = isPythonObject(info) ? info.get('workflow') : undefined;
  const id = isPythonObject(workflow) ? workflow.get('id') : undefined;
  return {
    id: prompt.id,
    status,
    priority: prompt.number,
    create_time: prompt.createdAt,
    outputs_count: 0,
    ...(typeof id === 'string' && { workflow_id: id }),
  };
}

interface Entry {
  prompt: [unknown, string, unknown, { extra_pnginfo?: { workflow?: { id?: unknown } } }, string[]];
  outputs: Record<string, Record<string, unknown[]>>;
  status: { messages: [string, unknown][] };
}

const readEntry = ({ entryJson }: HistoryRecord) => JSON.parse(entryJson) as Entry;

/** What can be shown as a picture, sound or video. */
const PREVIEWABLE = ['images', 'video', 'audio', 'gifs'];

function pastJob(id: string, record: HistoryRecord): Job {
  const { prompt, outputs, status } = readEntry(record);
  const items = Object.entries(outputs).flatMap(([nodeId, media]) =>
    Object.entries(media)
      .filter(([mediaType, list]) => mediaType !== 'animated' && Array.isArray(list))
      .flatMap(([mediaType, list]) => list.map((item) => ({ item, nodeId, mediaType }))),
  );
  const shown = items.filter(
    ({ item, mediaType }) => PREVIEWABLE.includes(mediaType) && typeof item === 'object' && item !== null,
  );
  const best = shown.find(({ item }) => (item as { type?: unknown }).type === 'output') ?? shown[0];
  const { status: outcome, priority, createdAt, startedAt, endedAt } = record.job;
  const error = status.messages.find(([type]) => type === 'execution_error')?.[1];
  const workflow = prompt[3]?.extra_pnginfo?.workflow?.id;
  return {
    id,
    status: outcome,
    priority,
    create_time: createdAt,
    ...(startedAt !== undefined && { execution_start_time: startedAt }),
    ...(endedAt !== undefined && { execution_end_time: endedAt }),
    ...(error !== undefined && { execution_error: error }),
    outputs_count: items.length,
    ...(best && {
      preview_output: { ...(best.item as object), nodeId: best.nodeId, mediaType: best.mediaType },
    }),
    ...(typeof workflow === 'string' && { workflow_id: workflow }),
  };
}

function listOf(given: string | null, known: string[], name: string): string[] | undefined {
  if (!given) return undefined;
  const values = given.split(',').map((value) => value.trim());
  const wrong = values.find((value) => !known.includes(value));
  if (wrong !== undefined)
    throw new ApiError(400, `${name} must be one of ${known.join(', ')}, not ${wrong}`);
  return values;
}

function countOf(query: URLSearchParams, name: string, least: number): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const number = /^\d+$/.test(given.trim()) ? Number(given) : Number.NaN;
  if (!(number >= least))
    throw new ApiError(400, `${name} must be a whole number of at least ${least}, not ${given}`);
  return number;
}
