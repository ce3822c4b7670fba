/** Graphs run by a real server in this process: what the editor shows of a run. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ServerSocket, WebSocketSession } from '../../../../core/server-types.ts';
import { imageServer } from '../../../../test/support/image-server.ts';
import { ImageClient } from '../image-client.ts';
import { ImageGraph } from './image-graph.ts';

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

const CONTEXT = { listener: 'image-workflows', loopback: true, clientAddress: '127.0.0.1', appOrigins: [] };

let graph: ImageGraph;
let close: () => unknown;
beforeEach(async () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
  const server = imageServer();
  close = server.close;
  const client = new ImageClient({
    fetch: (path, init) => server.ask(init?.method ?? 'GET', path, init?.body ?? undefined),
    connect(path) {
      const url = new URL(path, 'http://127.0.0.1:8188');
      return socketOf(() => server.api.connect!(new Request(url), url, CONTEXT as never) as never);
    },
  });
  graph = new ImageGraph(client, () => settings);
  await graph.load();
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await close();
});

/** The browser's socket, as far as the client uses it. */
function socketOf(open: () => Promise<WebSocketSession> | WebSocketSession): WebSocket {
  let closed = () => {};
  const socket = {
    binaryType: 'arraybuffer',
    onopen: () => {},
    onmessage: (_: { data: unknown }) => {},
    close: () => closed(),
  };
  void Promise.resolve(open()).then((session) => {
    session.start({
      bufferedAmount: 0,
      send: (data) =>
        socket.onmessage({ data: typeof data === 'string' ? data : new Uint8Array(data).buffer }),
      close() {},
      onMessage() {},
      onClose: (listener) => {
        closed = () => listener(1000, '');
      },
    } satisfies ServerSocket);
    socket.onopen();
  });
  return socket as unknown as WebSocket;
}

const open = (nodes: object) => graph.openText(JSON.stringify(nodes));
const picture = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 2, color: 255 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
  '3': { class_type: 'GetImageSize', inputs: { image: ['1', 0] } },
  '4': { class_type: 'PreviewAny', inputs: { source: ['3', 0] } },
};

it('opens the graph of the form at first', () => {
  expect(graph.failure).toBeUndefined();
  expect([...graph.state.graph.nodes.values()].map(({ type }) => type)).toContain('KSampler');
  expect(graph.state.graph.nodes.get('5')?.afterRun).toEqual({ seed: 'randomize' });
});

it('shows pictures and texts at their nodes, and what a second run kept', async () => {
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
  expect(graph.state.marks.get('2')?.pictures).toHaveLength(2);
  const bytes = await (await fetch(graph.state.marks.get('2')!.pictures![0]!)).arrayBuffer();
  expect([...new Uint8Array(bytes).subarray(1, 4)]).toEqual([...'PNG'].map((c) => c.charCodeAt(0)));
  // The picture holds the graph with its places.
  graph.state.move(new Map([['1', { x: 4321, y: 7 }]]));
  graph.state.set('2', 'filename_prefix', 'y');
  await graph.run();
  const file = await (await fetch(graph.state.marks.get('2')!.pictures![0]!)).blob();
  await graph.openFile(file);
  expect(graph.state.graph.nodes.get('1')?.x).toBe(4321);
  await graph.run();
  expect(graph.state.marks.get('1')?.state).toBe('kept');
  expect(graph.state.marks.get('4')?.texts).toEqual(['16']);
});

it('says at the node and its input what is wrong', async () => {
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

it('changes seeds after a run, which is not undone', async () => {
  await open({
    '1': { class_type: 'PrimitiveInt', inputs: { value: 5 } },
    '2': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
  });
  graph.state.setAfterRun('1', 'value', 'increment');
  await graph.run();
  expect(graph.state.marks.get('2')?.texts).toEqual(['5']);
  expect(graph.state.graph.nodes.get('1')?.values.value).toBe(6);
});

it('stops what runs and goes on with what waits', async () => {
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
  await vi.waitUntil(() => graph.running !== undefined);
  graph.state.set('1', 'color', 2);
  const second = graph.run();
  const third = graph.run();
  expect(graph.waiting).toBe(2);
  graph.clear();
  await Promise.all([second, third]);
  expect(graph.ended).toBe('Stopped');
  // What waited has left the running node alone.
  expect([...graph.state.marks.values()].some(({ state }) => state === 'running')).toBe(true);
  graph.stop();
  await first;
  expect(graph.isRunning).toBe(false);
  expect([...graph.state.marks.values()].some(({ state }) => state === 'running')).toBe(false);
  expect(graph.state.marks.get('999')).toBeUndefined();
});
