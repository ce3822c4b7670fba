/** Graphs run by a real server in this process, and how the editor shows the runs. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { encodePng } from '#core/image-codecs/png/encode.ts';
import { imageConnection } from '#test/support/image-workflows/image-connection.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { type BackendConnection, ImageClient } from '../image-client.ts';
import { ImageGraph } from './image-graph.ts';
import { QueueClient } from './runs/queue-client.ts';
import { ImageRunList } from './runs/run-list.ts';

const settings = {
  checkpoint: '',
  prompt: '',
  negative: '',
  width: 64,
  height: 64,
  steps: 1,
  guidance: 1,
  sampler: 'euler',
  scheduler: 'normal',
  seed: '0',
};

let connection: BackendConnection;
let graph: ImageGraph;
let close: () => unknown;
beforeEach(async () => {
  const stored = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  const server = imageServer();
  close = server.close;
  connection = imageConnection(server);
  const client = new ImageClient(connection);
  graph = new ImageGraph(client, () => settings);
  await graph.load();
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await close();
});

const open = (nodes: object) => graph.openText(JSON.stringify(nodes));
const picture = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 2, color: 255 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
  '3': { class_type: 'GetImageSize', inputs: { image: ['1', 0] } },
  '4': { class_type: 'PreviewAny', inputs: { source: ['3', 0] } },
};

it('opens the graph of the form first', () => {
  expect(graph.failure).toBeUndefined();
  expect([...graph.state.graph.nodes.values()].map(({ type }) => type)).toContain('KSampler');
  expect(graph.state.graph.nodes.get('5')?.afterRun).toEqual({ seed: 'randomize' });
});

it('does not undo the first graph, which would leave an empty one', async () => {
  expect(graph.state.canUndo).toBe(false);
  await open(picture);
  expect(graph.state.canUndo).toBe(true);
  graph.state.undo();
  expect([...graph.state.graph.nodes.values()].map(({ type }) => type)).toContain('KSampler');
});

it('says what a graph without output needs', async () => {
  const { '1': image } = picture;
  await open({ '1': image });
  await graph.run();
  expect(graph.failure).toContain('Add a Save Image or Preview Image node');
});

it('shows images and texts at their nodes, and cached nodes of a second run', async () => {
  await open(picture);
  await graph.run();
  expect(graph.failure).toBeUndefined();
  const marks = () => [...graph.state.marks].map(([id, { state }]) => [id, state]).sort();
  expect(marks()).toEqual([
    ['1', 'done'],
    ['2', 'done'],
    ['3', 'done'],
    ['4', 'done'],
  ]);
  expect(graph.state.marks.get('2')?.results).toHaveLength(2);
  const bytes = await (await fetch(graph.state.marks.get('2')!.results![0]!.url)).arrayBuffer();
  expect([...new Uint8Array(bytes).subarray(1, 4)]).toEqual([...'PNG'].map((c) => c.charCodeAt(0)));
  // The saved image contains the graph with its layout.
  graph.state.move(new Map([['1', { x: 4321, y: 7 }]]));
  graph.state.set('2', 'filename_prefix', 'y');
  await graph.run();
  const file = await (await fetch(graph.state.marks.get('2')!.results![0]!.url)).blob();
  await graph.openFile(file);
  expect(graph.state.graph.nodes.get('1')?.x).toBe(4321);
  await graph.run();
  expect(graph.state.marks.get('1')?.state).toBe('cached');
  expect(graph.state.marks.get('4')?.texts).toEqual(['16']);
});

it('shows problems at the node and its input', async () => {
  await open({ ...picture, '2': { class_type: 'SaveImage', inputs: { filename_prefix: 'x' } } });
  graph.state.set('1', 'width', 0);
  graph.state.delete(new Set(['4']));
  await graph.run();
  expect(graph.state.problems.get('2')).toEqual([{ input: 'images', message: 'Required input is missing' }]);
  graph.state.connect({ from: '1', output: 0, to: '2', input: 'images' });
  await graph.run();
  expect(graph.state.problems.get('1')?.[0]).toMatchObject({ input: 'width' });
  expect(graph.isRunning).toBe(false);
});

it('marks the node that fails', async () => {
  await open({
    ...picture,
    '2': { class_type: 'SaveImage', inputs: { ...picture[2].inputs, filename_prefix: '../out' } },
  });
  await graph.run();
  expect(graph.state.marks.get('2')?.state).toBe('failed');
  expect(graph.state.problems.get('2')?.[0]?.message).toContain('outside the output folder');
});

it('changes seeds after a run without an undo step', async () => {
  await open({
    '1': { class_type: 'PrimitiveInt', inputs: { value: 5 } },
    '2': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
  });
  graph.state.setAfterRun('1', 'value', 'increment');
  await graph.run();
  expect(graph.state.marks.get('2')?.texts).toEqual(['5']);
  expect(graph.state.graph.nodes.get('1')?.values.value).toBe(6);
});

it('interrupts the running prompt and clears the waiting ones', async () => {
  const chain = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [
      String(at + 2),
      { class_type: 'ImageInvert', inputs: { image: [String(at + 1), 0] } },
    ]),
  );
  await open({
    '1': { class_type: 'EmptyImage', inputs: { width: 256, height: 256, batch_size: 1, color: 1 } },
    ...chain,
    '999': { class_type: 'PreviewImage', inputs: { images: ['201', 0] } },
  });
  const first = graph.run();
  await vi.waitUntil(() => graph.runningNode !== undefined);
  graph.state.set('1', 'color', 2);
  const second = graph.run();
  const third = graph.run();
  expect(graph.waitingCount).toBe(2);
  graph.clearWaiting();
  await Promise.all([second, third]);
  expect(graph.lastStatus).toBe('Stopped');
  // Clearing the waiting prompts has not changed the mark of the running node.
  expect([...graph.state.marks.values()].some(({ state }) => state === 'running')).toBe(true);
  graph.stop();
  await first;
  expect(graph.isRunning).toBe(false);
  expect([...graph.state.marks.values()].some(({ state }) => state === 'running')).toBe(false);
  expect(graph.state.marks.get('999')).toBeUndefined();
});

it('marks the running node, with steps and preview', async () => {
  const events = new EventTarget();
  const said = [
    { type: 'execution_cached', data: { nodes: [] } },
    { type: 'executing', data: { node: '1' } },
    { type: 'progress', data: { node: '1', value: 1, max: 4 } },
  ];
  const jpeg = new Uint8Array([0, 0, 0, 1, 0, 0, 0, 1, 0xff, 0xd8]);
  const client = new ImageClient({
    fetch: (path, init) =>
      path === '/prompt'
        ? Promise.resolve(Response.json({ prompt_id: 'p', node_errors: {} }))
        : connection.fetch(path, init),
    connect: () => {
      const socket = { onopen: () => {}, onmessage: (_: unknown) => {}, close: () => {} };
      queueMicrotask(() => socket.onopen());
      events.addEventListener('say', (event) => socket.onmessage({ data: (event as CustomEvent).detail }));
      return socket as unknown as WebSocket;
    },
  });
  const sendMessage = (message: object | ArrayBuffer) =>
    events.dispatchEvent(
      new CustomEvent('say', {
        detail:
          message instanceof ArrayBuffer
            ? message
            : JSON.stringify({ ...message, data: { prompt_id: 'p', ...(message as { data: object }).data } }),
      }),
    );
  const shown = new ImageGraph(client, () => settings);
  await shown.load();
  await shown.openText(JSON.stringify(picture));
  const run = shown.run();
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (const message of said) sendMessage(message);
  sendMessage(jpeg.buffer);
  await vi.waitUntil(() => shown.state.marks.get('1')?.results);
  expect(shown.runningNode).toBe('1');
  expect(shown.state.marks.get('1')).toMatchObject({ state: 'running', progress: { value: 1, max: 4 } });
  sendMessage({ type: 'executing', data: { node: '2' } });
  await vi.waitUntil(() => shown.runningNode === '2');
  // The preview was removed when its node ended.
  expect(shown.state.marks.get('1')).toMatchObject({
    state: 'done',
    results: undefined,
    progress: undefined,
  });
  expect(shown.state.marks.get('2')?.state).toBe('running');
  sendMessage({ type: 'execution_success', data: {} });
  await run;
  expect(shown.runningNode).toBeUndefined();
  expect(shown.lastStatus).toBe('Done');
});

it('lists queue and history, and opens the graph of a run', async () => {
  const runs = new ImageRunList(new QueueClient(connection));
  runs.open();
  await open(picture);
  graph.state.move(new Map([['1', { x: 777, y: 0 }]]));
  await graph.run();
  await open({
    '1': picture[1],
    '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: '../out' } },
  });
  await graph.run();
  await vi.waitUntil(() => runs.finished?.length === 2 && runs.thumbnails.size === 1);
  const [failed, done] = runs.finished!;
  expect(failed).toMatchObject({ outcome: 'failed', images: [] });
  expect(failed!.error).toContain('SaveImage: ');
  expect(done).toMatchObject({ outcome: 'done' });
  expect(done!.images).toHaveLength(2);
  expect(done!.duration).toBeGreaterThanOrEqual(0);
  expect(runs.thumbnails.has(done!.id)).toBe(true);
  await graph.openRun(done!);
  expect(graph.state.graph.nodes.get('1')?.x).toBe(777);
  await runs.forget(failed!.id);
  expect(runs.finished).toHaveLength(1);
  await runs.clearHistory();
  expect(runs.finished).toEqual([]);
  runs.close();
  expect(runs.thumbnails.size).toBe(0);
});

it('removes waiting prompts from the queue, also those of other clients', async () => {
  const runs = new ImageRunList(new QueueClient(connection));
  const slow = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [
      String(at + 2),
      { class_type: 'ImageInvert', inputs: { image: [String(at + 1), 0] } },
    ]),
  );
  await open({
    '1': { class_type: 'EmptyImage', inputs: { width: 256, height: 256, batch_size: 1, color: 7 } },
    ...slow,
    '999': { class_type: 'PreviewImage', inputs: { images: ['301', 0] } },
  });
  const first = graph.run();
  await vi.waitUntil(() => graph.runningNode !== undefined);
  for (const prefix of ['b', 'c'])
    await connection.fetch('/prompt', {
      method: 'POST',
      body: JSON.stringify({
        prompt: {
          ...picture,
          '2': { ...picture[2], inputs: { ...picture[2].inputs, filename_prefix: prefix } },
        },
      }),
    });
  await runs.load();
  expect([runs.running.length, runs.waiting.length]).toEqual([1, 2]);
  await runs.withdraw(runs.waiting[0]!.id);
  expect(runs.waiting).toHaveLength(1);
  expect((runs.waiting[0]!.prompt['2'] as { inputs: object }).inputs).toMatchObject({ filename_prefix: 'c' });
  await runs.clearQueue();
  await runs.stop(runs.running[0]!.id);
  await first;
  expect(graph.lastStatus).toBe('Stopped');
  // The event of the end comes before the prompt leaves the queue, as in ComfyUI.
  await vi.waitFor(async () => {
    await runs.load();
    expect([runs.running, runs.waiting]).toEqual([[], []]);
  });
  expect(runs.finished?.[0]).toMatchObject({ outcome: 'stopped' });
});

it('opens a dropped image, and reports an image without a graph', async () => {
  const pixels = { width: 1, height: 1, channels: 3 as const, data: new Uint8Array(3) };
  const png = (texts: Record<string, string>) =>
    new Blob([encodePng(pixels, { texts })], { type: 'image/png' });
  await graph.openFile(png({ prompt: JSON.stringify(picture) }));
  expect([...graph.state.graph.nodes.keys()]).toEqual(['1', '2', '3', '4']);
  await graph.openFile(png({}));
  expect(graph.failure).toContain('contains no graph');
  expect(graph.state.graph.nodes.size).toBe(4);
});
