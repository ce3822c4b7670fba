/** A queue of prompts over two more processes, without a network: each process is an image server of its own. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Host, PeerNotReached, recordsSchema } from '#core/host';
import { MemoryClusters } from '#test/support/host/memory-cluster.ts';
import { MemoryRecords } from '#test/support/host/memory-records.ts';
import { createTestHost } from '#test/support/host/test-host.ts';
import { listenToMessages, promptOf } from '#test/support/image-workflows/prompt-fixtures.ts';
import type { PromptQueue } from '../execution/prompt-queue.ts';
import { int, string } from '../nodes/kernel/inputs.ts';
import { node, output } from '../nodes/kernel/node-type.ts';
import { ImageServer } from '../server/image-server.ts';

/** Where each prompt ran, in the order of their start. */
let runs: [process: string, id: string][];
/** Ends the node of a prompt. */
let release: Map<string, () => void>;
let clusters: MemoryClusters;
let servers: Map<string, ImageServer>;
let records: MemoryRecords;
let files: Host['files'];

const loader = node({
  ...{ name: 'Loader', category: 'test', module: 'test' },
  inputs: { file: string() },
  outputs: [output('MODEL')],
  run: ({ file }) => [file],
});

/** A node that shows progress, an image and a text, and ends when the test says so. */
function holder(process: string) {
  return node({
    ...{ name: 'Hold', category: 'test', module: 'test', isOutput: true, outputs: [] },
    inputs: { seed: int({ optional: true } as never) },
    fingerprint: () => undefined,
    async run(_, context) {
      runs.push([process, context.promptId]);
      const released = new Promise<void>((resolve) => release.set(context.promptId, resolve));
      await context.progress(1, 2, { type: 'image/png', bytes: Uint8Array.of(7) });
      context.sendText('half');
      const interrupted = new Promise<never>((_resolve, reject) =>
        context.signal.addEventListener('abort', () => reject(context.signal.reason)),
      );
      await Promise.race([released, interrupted]);
      const target = await context.files.target('shared', 'output');
      await context.files.save(target, 'output', 0, 'txt', new TextEncoder().encode(context.promptId));
      await context.files.save(target, 'output', 1, 'txt', new TextEncoder().encode(context.promptId));
      return { ui: { text: [process] } };
    },
  });
}

function open(process: string): ImageServer {
  const host: Host = {
    ...createTestHost({ schema: recordsSchema, clock: 'real' }),
    records,
    files,
    cluster: clusters.open(process),
  };
  const server = new ImageServer(host, { customNodes: [holder(process), loader] });
  servers.set(process, server);
  return server;
}

/** Ends a process without a farewell: its answers break off. */
function kill(process: string): void {
  clusters.running.delete(process);
  servers.delete(process);
  for (const abort of breaks.get(process) ?? []) abort.abort(new Error(`${process} is gone`));
  for (const listener of clusters.workerListeners) listener();
}
const breaks = new Map<string, Set<AbortController>>();

beforeEach(() => {
  [runs, release, servers] = [[], new Map(), new Map()];
  records = new MemoryRecords(recordsSchema);
  files = createTestHost().files;
  clusters = new MemoryClusters();
  breaks.clear();
  clusters.answer = async (process, _api, request) => {
    const server = servers.get(process);
    if (!server) throw new PeerNotReached(`${process} is gone`);
    const abort = new AbortController();
    breaks.set(process, (breaks.get(process) ?? new Set()).add(abort));
    const response = await server.peers.answer(request, new URL(request.url));
    const { body } = response;
    return new Response(body?.pipeThrough(new TransformStream(), { signal: abort.signal }) ?? null, response);
  };
  onTestFinished(async () => void (await Promise.all([...servers.values()].map((server) => server.close()))));
});

async function openThree(): Promise<{ queue: PromptQueue; leader: ImageServer }> {
  const leader = open('leader');
  open('a');
  open('b');
  return { leader, queue: (await leader.ready()).queue };
}

const add = (queue: PromptQueue, id: string, model?: string, more: Record<string, unknown> = {}) => {
  const graph = {
    '1': { class_type: 'Hold', inputs: { seed: 1 } },
    ...(model !== undefined && { '2': { class_type: 'Loader', inputs: { file: model } } }),
  };
  const {
    sequence: _,
    attempts: __,
    createdAt: ___,
    ...prompt
  } = promptOf(graph, { id, outputs: ['1'], ...more });
  return queue.add(prompt);
};
const started = (count: number) => expect.poll(() => runs.length).toBe(count);
const processOf = (id: string) => runs.findLast((run) => run[1] === id)?.[0];
const statusOf = (queue: PromptQueue, id: string) =>
  expect.poll(() => {
    const entry = queue.history.get(id)?.entryJson;
    return entry === undefined ? undefined : JSON.parse(entry).status.messages.at(-1)[0];
  });

it('runs one prompt in each process, and clients of the leader receive everything', async () => {
  const { queue, leader } = await openThree();
  const me = listenToMessages(leader.sockets, 'me');
  for (const id of ['p', 'q', 'r', 's']) await add(queue, id);
  await started(3);
  expect(runs.map(([process]) => process).sort()).toEqual(['a', 'b', 'leader']);
  expect([queue.running.length, queue.pending.map(({ id }) => id)]).toEqual([3, ['s']]);
  const remote = runs.find(([process]) => process !== 'leader')![1];
  const of = (id: string) => me.messages.filter(({ data }) => data.prompt_id === id).map(({ type }) => type);
  release.get(remote)!();
  await statusOf(queue, remote).toBe('execution_success');
  await expect.poll(() => of(remote).at(-1)).toBe('executing');
  expect(of(remote)).toEqual([
    ...['execution_start', 'execution_cached', 'progress_state', 'executing', 'progress_state', 'progress'],
    ...['executed', 'progress_state', 'execution_success', 'executing'],
  ]);
  expect(
    me.messages.find(({ type, data }) => type === 'executed' && data.prompt_id === remote)?.data.output,
  ).toEqual({
    text: [processOf(remote)],
  });
  // Each prompt so far has sent an image and a text.
  await expect.poll(() => me.binary.length).toBeGreaterThanOrEqual(6);
  expect(me.binary).toContainEqual(Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 2, 7));
  await started(4);
  expect(queue.remaining).toBe(3);
  expect(JSON.parse(queue.history.get(remote)!.entryJson).outputs).toEqual({
    '1': { text: [processOf(remote)] },
  });
  expect((await records.collection('promptQueue').list()).length).toBe(3);
});

it('interrupts the prompt of an id in its process, and all without an id', async () => {
  const { queue } = await openThree();
  for (const id of ['p', 'q', 'r']) await add(queue, id);
  await started(3);
  const [[, first], ...others] = [...runs].sort(([a], [b]) => a.localeCompare(b)) as [[string, string]];
  expect(queue.interrupt(first)).toBe(true);
  await statusOf(queue, first).toBe('execution_interrupted');
  expect(queue.running.length).toBe(2);
  expect(queue.interrupt()).toBe(true);
  for (const [, id] of others as [string, string][]) await statusOf(queue, id).toBe('execution_interrupted');
  expect(queue.interrupt()).toBe(false);
});

it('sends prompts to the process that has their model open', async () => {
  const { queue } = await openThree();
  for (const model of ['x', 'y', 'z']) await add(queue, `first ${model}`, model);
  await started(3);
  // One more of each, in another order. The first process that ends takes the prompt with its model.
  for (const model of ['z', 'x', 'y']) await add(queue, `second ${model}`, model);
  for (const model of ['y', 'x', 'z']) release.get(`first ${model}`)!();
  await started(6);
  for (const model of ['x', 'y', 'z']) expect(processOf(`second ${model}`)).toBe(processOf(`first ${model}`));
});

it('gives files of all processes names of their own', async () => {
  const { queue } = await openThree();
  const ids = Array.from({ length: 9 }, (_, n) => `p${n}`);
  for (const id of ids) await add(queue, id);
  // All three end their prompts at the same time, again and again.
  for (let ended = 0; ended < 9; ended += 3) {
    await started(ended + 3);
    for (const [, id] of runs.slice(ended)) release.get(id)!();
  }
  await expect.poll(() => queue.remaining).toBe(0);
  const names = (await files.names('output'))!;
  const texts = await Promise.all(
    names.map(async (name) => new TextDecoder().decode(await files.read(`output/${name}`))),
  );
  expect(texts.sort()).toEqual(ids.flatMap((id) => [id, id]));
});

describe('a process that ends', () => {
  it('loses its prompt to another one; after the second time the prompt has failed', async () => {
    const { queue } = await openThree();
    await add(queue, 'p');
    await add(queue, 'q');
    await add(queue, 'r');
    await started(3);
    const onA = runs.find(([process]) => process === 'a')![1];
    const onLeader = runs.find(([process]) => process === 'leader')![1];
    kill('a');
    release.get(onLeader)!();
    await started(4);
    expect(runs.at(-1)).toEqual(['leader', onA]);
    release.get(onA)!();
    await statusOf(queue, onA).toBe('execution_success');

    await add(queue, 'poison');
    await add(queue, 'other');
    const second = open('c');
    for (const listener of clusters.workerListeners) listener();
    expect(second).toBeDefined();
    await started(6);
    const victim = processOf('other')!;
    // The leader itself is not lost here.
    expect(victim).not.toBe('leader');
    kill(victim);
    open('d');
    for (const listener of clusters.workerListeners) listener();
    await expect.poll(() => processOf('other')).toBe('d');
    kill('d');
    await statusOf(queue, 'other').toBe('execution_error');
    expect(queue.history.get('other')!.entryJson).toContain('the server ended twice');
  });

  it('as the leader leaves the prompts of other processes uncounted', async () => {
    const { queue } = await openThree();
    for (const id of ['p', 'q', 'r']) await add(queue, id);
    await started(3);
    const own = runs.find(([process]) => process === 'leader')![1];
    kill('leader');
    const next = await servers.get('a')!.ready();
    const { running, pending } = next.queue;
    const earlier = [
      ...running.map(({ id, attempts }) => [id, attempts - 1]),
      ...pending.map(({ id, attempts }) => [id, attempts]),
    ];
    expect(Object.fromEntries(earlier)).toEqual({ p: 0, q: 0, r: 0, [own]: 1 });
    expect(next.queue.remaining).toBe(3);
  });

  it('in an orderly way gives its prompt back, without counting it', async () => {
    const { queue } = await openThree();
    for (const id of ['p', 'q', 'r']) await add(queue, id);
    await started(3);
    const [, returned] = runs.find(([process]) => process === 'b')!;
    clusters.running.delete('b');
    await servers.get('b')!.close();
    await expect.poll(() => queue.pending.map(({ id, attempts }) => [id, attempts])).toEqual([[returned, 0]]);
  });
});
