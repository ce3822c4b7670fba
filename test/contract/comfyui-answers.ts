/** The input files that replays of the ComfyUI API need, and the parts of answers that vary. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Call } from './exchange.ts';
import type { Recording } from './recording.ts';
import { steadyFilename } from './steady-filename.ts';

type Send = (call: Call) => Promise<Answer>;

/** Recordings that read a prompt while it waits or runs. */
const UNSETTLED = /^(queue|q-|interrupt|history-of-running|prompt-info-running|prompt-same-number|options)/;

/** The images in the recording machine's `input/`. */
export async function uploadInputs(golden: string, send: Send): Promise<void> {
  const folder = join(golden, 'comfyui', 'input');
  const files = readdirSync(folder).map((name) => ({
    name,
    bytes: readFileSync(join(folder, name)),
    subfolder: '',
  }));
  const lab = files.find(({ name }) => name === 'lab.png');
  if (lab) files.push({ ...lab, name: 'example.png' }, { ...lab, name: 's.png', subfolder: 'sub/dir' });
  files.push({ name: 'junk.png', bytes: Buffer.from('not a picture'), subfolder: '' });
  const extraFiles = ['x.js', 'x.txt', 'x.html', 'x.unknownext'].map((name) => ({
    name,
    bytes: Buffer.from('hi'),
    subfolder: '',
    type: 'output',
  }));
  for (const { name, bytes, subfolder, type = 'input' } of [
    ...files.map((file) => ({ ...file, type: 'input' })),
    ...extraFiles,
  ]) {
    const form = new FormData();
    form.append('image', new Blob([bytes]), name);
    form.append('overwrite', 'true');
    form.append('type', type);
    form.append('subfolder', subfolder);
    const request = new Request('http://localhost/', { method: 'POST', body: form });
    await send({
      method: 'POST',
      path: '/upload/image',
      headers: { 'content-type': request.headers.get('content-type')! },
      body: new Uint8Array(await request.arrayBuffer()),
    });
  }
}

/** Waits until nothing runs, as before the recordings of completed prompts. */
export async function waitUntilIdle(recording: Recording, send: Send): Promise<void> {
  if (UNSETTLED.test(recording.name)) return;
  for (let tries = 0; tries < 1500; tries++) {
    const { body } = await send({ method: 'GET', path: '/prompt' });
    if (/"queue_remaining": 0\b/.test(body)) return;
    await sleep(20);
  }
}

/**
 * Normalizes an answer. Removes counters, times, traces, tooltips and descriptions, which vary or are tabd's own texts.
 * The real server sorts errors by a hash.
 */
export function steadyAnswer(answer: Answer): Answer {
  if (
    answer.body.startsWith('{"__binary__":') ||
    /^(image|application\/octet|text\/plain$|application\/javascript)/.test(
      answer.headers['content-type'] ?? '',
    )
  )
    return { ...answer, body: answer.status === 200 || answer.status === 206 ? 'bytes' : answer.body };
  try {
    return { ...answer, body: JSON.stringify(steady(JSON.parse(answer.body), '')) };
  } catch {
    return answer;
  }
}

/** Previews were recorded with an option that adds CORS headers to every answer. */
export function steadyRecording({ name, answer }: Recording): Answer {
  if (!name.startsWith('preview-')) return steadyAnswer(answer);
  const headers = Object.entries(answer.headers).filter(([key]) => !key.startsWith('access-control-'));
  return steadyAnswer({ ...answer, headers: Object.fromEntries(headers) });
}

/** Where the real server crashes, an error of the API is accepted, and so is a success. */
export function isBetterThanCrash(recorded: Answer, answer: Answer): boolean {
  if (recorded.status !== 500) return false;
  return answer.status === 400 || answer.status === 200;
}

/** Fields to ignore: tabd's own texts, traces, Python's names of errors, and numbers as Python prints them. */
const DROPPED = new Set([
  ...['description', 'tooltip', 'output_tooltips', 'traceback', 'exception_message', 'exception_type'],
  ...['executed', 'current_inputs'],
  // Where the machine stores its models.
  'folders',
]);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const VARYING_NUMBERS = new Set(['number', 'timestamp', 'modified', 'created', 'size']);

function steady(value: unknown, key: string): unknown {
  if (VARYING_NUMBERS.has(key) && typeof value === 'number') return 0;
  if (Array.isArray(value)) {
    const items = value.map((item) => steady(item, ''));
    // The real server sorts outputs by a hash.
    if (key === 'prompt' && items.length === 5)
      return [0, ...items.slice(1, 4), (items[4] as string[]).sort()];
    // Compares the waiting prompts in any order: the real order is that of a heap.
    if (key === 'queue_pending')
      return items.map((item) => JSON.stringify([0, ...(item as unknown[]).slice(1)])).sort();
    if (key === 'queue_running') return items.map((item) => [0, ...(item as unknown[]).slice(1)]);
    // The content of the folder depends on the machine.
    if (items.length > 0 && items.every((item) => /\.(png|jpe?g|webp|gif)$/.test(String(item))))
      return ['<images>'];
    // A type alone, or with options that have no effect.
    if (items.length === 2 && isEmpty(items[1])) return [items[0]];
    if (['errors', 'current_outputs', 'nodes'].includes(key))
      return items.map((item) => JSON.stringify(item)).sort();
    return items;
  }
  if (key === 'filename' && typeof value === 'string') return steadyFilename(value);
  if (key === 'prompt_id' && typeof value === 'string') return value.replace(UUID, '<uuid>');
  if (typeof value !== 'object' || value === null) {
    return key === 'details' && typeof value === 'string' ? value.split('\n').sort().join('\n') : value;
  }
  const members = Object.entries(value);
  // Sorts a part of a history: its order is that of a hash too.
  if (key === 'outputs' || key === 'meta') members.sort(([a], [b]) => a.localeCompare(b));
  return Object.fromEntries(
    members.filter(([name]) => !DROPPED.has(name)).map(([name, item]) => [name, steady(item, name)]),
  );
}

const isEmpty = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
