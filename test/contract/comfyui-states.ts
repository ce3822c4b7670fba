/** The state of the server in some recordings of the ComfyUI API: a filled queue, a history, a changed file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { uploadInputs } from './comfyui-answers.ts';
import type { Answer, Call } from './exchange.ts';
import type { Recording } from './recording.ts';

interface GraphNode {
  inputs: Record<string, unknown>;
}
/** A graph that shares no nodes with other graphs. */
const NOTHING = { 1: { class_type: 'PreviewAny', inputs: { source: 'nothing' } } };

type Send = (call: Call) => Promise<Answer>;
/** An entry of the queue: number, id, graph, extra data, outputs. */
type Queued = [number, string, unknown, Record<string, unknown>, string[]];
interface Queue {
  queue_running: Queued[];
  queue_pending: Queued[];
}
type History = Record<string, { prompt: Queued; status: { messages: [string, unknown][] } }>;

/** Adapts a request: it names the local file's properties instead of those of the recorded file. */
export async function fitted(recording: Recording, send: Send): Promise<Call> {
  const { call, name } = recording;
  if (!/^view-if-/.test(name)) return call;
  const { headers } = await send({ method: 'GET', path: call.path });
  const own = { 'if-none-match': headers.etag, 'if-modified-since': headers['last-modified'] };
  return {
    ...call,
    headers: Object.fromEntries(
      Object.entries(call.headers ?? {}).map(([key, value]) => [key, own[key as keyof typeof own] ?? value]),
    ),
  };
}

/** Creates the state that a recording needs. Returns the function that removes it. */
export async function arrange(
  golden: string,
  recording: Recording,
  send: Send,
): Promise<() => Promise<void>> {
  const nothing = async () => {};
  const { name } = recording;
  if (name === 'image-loadimage-file-changed') {
    await replaceFile(golden, send);
    return nothing;
  }
  if (name === 'upload-image') {
    await send({ method: 'DELETE', path: '/internal/files/input/lab.png' });
    return () => uploadInputs(golden, send);
  }
  if (/^txt2img-(then-back-old-seed|error-ksampler)$/.test(name)) {
    // Other prompts ran in between, so only the results of the last prompt are cached.
    const { prompt } = JSON.parse(recording.call.body as string) as { prompt: Record<string, GraphNode> };
    prompt['6']!.inputs.text = 'something else';
    await post('/prompt', { prompt }, send);
    await idle(send);
    return nothing;
  }
  if (/^history-(all|max|offset)/.test(name)) {
    await fillHistory(golden, send);
    return nothing;
  }
  const found = jsonOf(recording.answer.body);
  if (isQueue(found) && found.queue_running.length > 0) {
    await empty(send);
    for (const queued of found.queue_running) await submit(queued, send);
    await until(send, '/queue', (body) => !body.includes('"queue_running": []'));
    for (const queued of found.queue_pending) await submit(queued, send);
    return () => empty(send);
  }
  if (name === 'history-interrupted-global' || name === 'history-interrupted') {
    const [entry] = Object.values(found as History);
    await empty(send);
    // Loads the models first, so that the prompt reaches the sampler soon.
    const short = structuredClone(entry!.prompt[2]) as Record<string, GraphNode>;
    short['3']!.inputs.steps = 1;
    await post('/prompt', { prompt: short }, send);
    await idle(send);
    await post('/prompt', { prompt: NOTHING }, send);
    await idle(send);
    await submit(entry!.prompt, send);
    // Waits until the sampler runs.
    await sleep(1000);
    await post('/interrupt', {}, send);
    await idle(send);
  }
  return nothing;
}

async function replaceFile(golden: string, send: Send): Promise<void> {
  const form = new FormData();
  const bytes = readFileSync(join(golden, 'comfyui', 'input', 'rgba.png'));
  form.append('image', new Blob([bytes]), 'lab.png');
  form.append('overwrite', 'true');
  const request = new Request('http://localhost/', { method: 'POST', body: form });
  await send({
    method: 'POST',
    path: '/upload/image',
    headers: { 'content-type': request.headers.get('content-type')! },
    body: new Uint8Array(await request.arrayBuffer()),
  });
}

/** Runs the prompts of the recorded history in order, on a server that has run none of them. */
async function fillHistory(golden: string, send: Send): Promise<void> {
  const file = JSON.parse(readFileSync(join(golden, 'comfyui', 'history-all.json'), 'utf8'));
  await post('/history', { clear: true }, send);
  await uploadInputs(golden, send);
  let last = '';
  let repeated = 0;
  // JavaScript objects list keys that look like numbers first, whatever the order of the runs was.
  const startOf = ({ status }: History[string]) =>
    (status.messages[0]![1] as { timestamp: number }).timestamp;
  const entries = Object.values(file.response.body as History);
  for (const { prompt } of entries.sort((a, b) => startOf(a) - startOf(b))) {
    // The same graph a third time. Nothing of it was in the cache, because the file had changed.
    const graph = JSON.stringify(prompt[2]);
    if (graph === last && graph.includes('LoadImage') && ++repeated === 2) await replaceFile(golden, send);
    last = graph;
    await submit(prompt, send);
    await idle(send);
  }
}

export async function empty(send: Send): Promise<void> {
  await post('/queue', { clear: true }, send);
  await post('/interrupt', {}, send);
  await idle(send);
}

const idle = (send: Send) => until(send, '/prompt', (body) => /"queue_remaining": 0\b/.test(body));

async function submit([number, id, prompt, extra, outputs]: Queued, send: Send): Promise<void> {
  await post(
    '/prompt',
    {
      partial_execution_targets: outputs,
      prompt,
      prompt_id: id,
      number,
      extra_data: extra,
      client_id: extra.client_id,
    },
    send,
  );
}

async function post(path: string, json: unknown, send: Send): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await send({ method: 'POST', path, headers, body: JSON.stringify(json) });
}

async function until(send: Send, path: string, holds: (body: string) => boolean): Promise<void> {
  for (let tries = 0; tries < 1500; tries++) {
    if (holds((await send({ method: 'GET', path })).body)) return;
    await sleep(20);
  }
  throw new Error(`${path} did not come to the recorded state within 30 s`);
}

const isQueue = (value: unknown): value is Queue =>
  typeof value === 'object' && value !== null && Array.isArray((value as Queue).queue_running);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
