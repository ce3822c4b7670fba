/** Jobs: the queue's prompts and the entries of history in one form. */
import type { HistoryRecord } from '../execution/history.ts';
import type { Prompt } from '../execution/prompt.ts';
import type { PromptQueue } from '../execution/prompt-queue.ts';
import { RawJson } from '../python/python-json.ts';
import { isPythonObject } from '../python/python-value.ts';

export const JOB_STATUSES = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'];

/** One row of the list. Times are milliseconds since 1970. */
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

/** History from its oldest entry on, then the running prompt, then the pending ones. */
export function allJobs(queue: PromptQueue): Job[] {
  return [
    ...queue.history.list().map(([id, record]) => finishedJob(id, record)),
    ...queue.running.map((prompt) => queuedJob(prompt, 'in_progress')),
    ...queue.pending.map((prompt) => queuedJob(prompt, 'pending')),
  ];
}

/** A job with its graph and its outputs. Undefined: no job has this id. */
export function jobDetails(queue: PromptQueue, id: string): Record<string, unknown> | undefined {
  const running = queue.running.find((prompt) => prompt.id === id);
  const queued = running ?? queue.pending.find((prompt) => prompt.id === id);
  if (queued)
    return {
      ...queuedJob(queued, running ? 'in_progress' : 'pending'),
      workflow: { prompt: new RawJson(queued.graphJson), extra_data: new Map(queued.extraData) },
    };
  const record = queue.history.get(id);
  if (!record) return undefined;
  const { prompt, outputs, status } = readEntry(record);
  return {
    ...finishedJob(id, record),
    outputs,
    execution_status: status,
    workflow: { prompt: prompt[2], extra_data: prompt[3] },
  };
}

/** Milliseconds. 0 for a job that has not finished. */
export const durationOf = ({ execution_start_time: start, execution_end_time: end }: Job): number =>
  start === undefined || end === undefined ? 0 : end - start;

function queuedJob(prompt: Prompt, status: string): Job {
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

function finishedJob(id: string, record: HistoryRecord): Job {
  const { prompt, outputs, status } = readEntry(record);
  const items = outputItems(outputs);
  const preview = previewOf(items);
  const { priority, createdAt, startedAt, endedAt } = record.job;
  const error = status.messages.find(([type]) => type === 'execution_error')?.[1];
  const isCancelled = status.messages.some(([type]) => type === 'execution_interrupted');
  const workflow = prompt[3]?.extra_pnginfo?.workflow?.id;
  return {
    id,
    status: isCancelled ? 'cancelled' : record.job.status,
    priority,
    create_time: createdAt,
    ...(startedAt !== undefined && { execution_start_time: startedAt }),
    ...(endedAt !== undefined && { execution_end_time: endedAt }),
    ...(error !== undefined && { execution_error: error }),
    outputs_count: items.length,
    ...(preview && {
      preview_output: { ...(preview.item as object), nodeId: preview.nodeId, mediaType: preview.mediaType },
    }),
    ...(typeof workflow === 'string' && { workflow_id: workflow }),
  };
}

/** The members of a history entry that jobs show. */
interface HistoryEntry {
  prompt: [unknown, string, unknown, { extra_pnginfo?: { workflow?: { id?: unknown } } }, string[]];
  outputs: Record<string, Record<string, unknown[]>>;
  status: { messages: [string, unknown][] };
}

const readEntry = ({ entryJson }: HistoryRecord) => JSON.parse(entryJson) as HistoryEntry;

interface OutputItem {
  item: unknown;
  nodeId: string;
  mediaType: string;
}

function outputItems(outputs: HistoryEntry['outputs']): OutputItem[] {
  return Object.entries(outputs).flatMap(([nodeId, media]) =>
    Object.entries(media)
      .filter(([mediaType, list]) => mediaType !== 'animated' && Array.isArray(list))
      .flatMap(([mediaType, list]) => list.map((item) => ({ item, nodeId, mediaType }))),
  );
}

const PREVIEWABLE = ['images', 'video', 'audio', 'gifs'];

/** The first file in the output folder; without one, the first file that clients can show. */
function previewOf(items: readonly OutputItem[]): OutputItem | undefined {
  const files = items.filter(
    ({ item, mediaType }) => PREVIEWABLE.includes(mediaType) && typeof item === 'object' && item !== null,
  );
  return files.find(({ item }) => (item as { type?: unknown }).type === 'output') ?? files[0];
}
