/** How the client reads the server's queue and history, and what it sends. */
import { expect, it, vi } from 'vitest';
import type { BackendConnection } from '../../image-client.ts';
import { QueueClient } from './queue-client.ts';

/** A client whose server answers each path with a JSON text. */
function clientOf(answers: Record<string, string>, status = 200) {
  const sent: [path: string, body: unknown][] = [];
  const socket = { close: vi.fn() } as {
    close(): void;
    onmessage?: (event: object) => void;
    onclose?: () => void;
  };
  const connection = {
    fetch: async (path: string, init?: RequestInit) => {
      sent.push([path, init?.body === undefined ? undefined : JSON.parse(String(init.body))]);
      return new Response(answers[path] ?? '', { status });
    },
    connect: () => socket,
  };
  return { client: new QueueClient(connection as unknown as BackendConnection), sent, socket };
}

const graph = { '1': { class_type: 'EmptyImage', inputs: {} } };
const entry = (id: string, messages: [type: string, data: object][], outputs: object = {}) => ({
  prompt: [0, id, graph, {}, []],
  outputs,
  status: { messages },
});

it('orders running and waiting prompts by their number, and keeps their layout', async () => {
  const workflow = { nodes: [] };
  const queue = {
    queue_running: [[3, 'c', graph, { extra_pnginfo: { workflow } }]],
    queue_pending: [
      [12, 'b', graph, {}],
      [9, 'a', graph, {}],
    ],
  };
  const { client } = clientOf({ '/queue': JSON.stringify(queue) });
  expect(await client.queue()).toEqual({
    running: [{ id: 'c', prompt: graph, workflow }],
    waiting: [
      { id: 'a', prompt: graph },
      { id: 'b', prompt: graph },
    ],
  });
});

it('leaves out rows that are no prompts', async () => {
  const queue = { queue_running: [[1, 2, graph], [1, 'a', 'text'], 'b', null], queue_pending: 'none' };
  const { client } = clientOf({ '/queue': JSON.stringify(queue) });
  expect(await client.queue()).toEqual({ running: [], waiting: [] });
  const other = clientOf({ '/queue': '[]', '/history?max_items=5': '{"a": 1, "b": {}}' });
  expect(await other.client.queue()).toEqual({ running: [], waiting: [] });
  expect(await other.client.history(5)).toEqual([]);
});

it('keeps every digit of a seed', async () => {
  const queue = '{"queue_running": [[1, "a", {"1": {"inputs": {"seed": 18446744073709551615}}}]]}';
  const { running } = await clientOf({ '/queue': queue }).client.queue();
  expect(running[0]!.prompt).toEqual({ '1': { inputs: { seed: 18446744073709551615n } } });
});

it('lists finished runs newest first, with outcome, images and duration', async () => {
  const image = { filename: 'a.png', subfolder: '', type: 'output' };
  const start: [string, object] = ['execution_start', { timestamp: 1000 }];
  const history = {
    done: entry('done', [start, ['execution_success', { timestamp: 3500 }]], {
      '2': { images: [image] },
      '3': { text: ['no image'] },
    }),
    stopped: entry('stopped', [start, ['execution_interrupted', { timestamp: 1200 }]]),
    failed: entry('failed', [
      start,
      ['execution_error', { timestamp: 1100, node_type: 'KSampler', exception_message: ' no model \n' }],
    ]),
    unknown: entry('unknown', []),
  };
  const { client } = clientOf({ '/history?max_items=4': JSON.stringify(history) });
  const run = (id: string) => ({ id, prompt: graph, images: [] });
  expect(await client.history(4)).toEqual([
    { ...run('unknown'), outcome: 'done' },
    { ...run('failed'), outcome: 'failed', error: 'KSampler: no model', startedAt: 1000, duration: 100 },
    { ...run('stopped'), outcome: 'stopped', startedAt: 1000, duration: 200 },
    { ...run('done'), outcome: 'done', images: [image], startedAt: 1000, duration: 2500 },
  ]);
});

it('sends each action to its route', async () => {
  const { client, sent } = clientOf({});
  await client.withdraw('a');
  await client.clearQueue();
  await client.interrupt('b');
  await client.forget('c');
  await client.clearHistory();
  await client.viewFile({ filename: 'a b.png', subfolder: 'x/y', type: 'output' });
  expect(sent).toEqual([
    ['/queue', { delete: ['a'] }],
    ['/queue', { clear: true }],
    ['/interrupt', { prompt_id: 'b' }],
    ['/history', { delete: ['c'] }],
    ['/history', { clear: true }],
    ['/view?filename=a+b.png&subfolder=x%2Fy&type=output', undefined],
  ]);
});

it("throws the server's message, or the status of an empty answer", async () => {
  await expect(clientOf({ '/queue': 'out of order' }, 500).client.queue()).rejects.toThrow('out of order');
  await expect(clientOf({}, 503).client.clearQueue()).rejects.toThrow('/queue answered 503');
});

it('follows the status messages until the signal aborts or the connection closes', async () => {
  const { client, socket } = clientOf({});
  const changed = vi.fn();
  const abort = new AbortController();
  const following = client.follow(changed, abort.signal);
  socket.onmessage!({ data: '{"type": "status", "data": {}}' });
  socket.onmessage!({ data: '{"type": "progress", "data": {}}' });
  socket.onmessage!({ data: new ArrayBuffer(8) });
  expect(changed).toHaveBeenCalledTimes(1);
  abort.abort();
  await following;
  expect(socket.close).toHaveBeenCalled();
  const other = clientOf({});
  const closed = other.client.follow(changed, new AbortController().signal);
  other.socket.onclose!();
  await closed;
});
