import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordsSchema } from '#core/host';
import { createTestHost } from '#test/support/host/test-host.ts';
import {
  type Client,
  imageServer,
  type Runs,
  type SocketMessage,
  testNodes,
} from '#test/support/image-workflows/image-server.ts';

let runs: Runs;
let server: ReturnType<typeof imageServer>;
beforeEach(() => {
  runs = [];
  server = imageServer({ customNodes: testNodes(runs) });
});
afterEach(() => server.close());

const number = (value: unknown) => ({ class_type: 'Number', inputs: { value } });
const show = (id: string) => ({ class_type: 'Show', inputs: { value: [id, 0] } });
const add = (a: unknown, b?: unknown) => ({
  class_type: 'Add',
  inputs: { a, ...(b !== undefined && { b }) },
});
const json = (heard: Client['heard']) =>
  heard.filter((message): message is SocketMessage => !(message instanceof Uint8Array));
const types = (heard: Client['heard']) => json(heard).map(({ type }) => type);

describe('the messages of a prompt', () => {
  it('begin when the client has had time to read the response', async () => {
    // The clock of this host moves only when the test advances it.
    const host = createTestHost({ schema: recordsSchema });
    const still = imageServer({ host, customNodes: testNodes(runs) });
    const listener = await still.connect('late');
    const { prompt_id } = await still.submit({ '1': number(5), '2': show('1') }, { client_id: 'late' });
    await host.time!.advance(3.9);
    expect(types(listener.heard)).not.toContain('execution_start');
    await host.time!.advance(0.2);
    await listener.done(prompt_id);
    await still.close();
  });

  it('come in this order, and history has the prompt before the last message', async () => {
    const { heard, entry, id } = await server.run({ '1': number(5), '2': show('1') });
    expect(types(heard)).toEqual([
      'status',
      'status',
      'status',
      'execution_start',
      'execution_cached',
      'progress_state',
      'executing',
      'progress_state',
      'progress_state',
      'executing',
      'executed',
      'progress_state',
      'execution_success',
      'status',
      'executing',
    ]);
    const all = json(heard);
    expect(all.slice(0, 3).map(({ data }) => data.status.exec_info.queue_remaining)).toEqual([0, 1, 1]);
    expect(all[5]!.data.nodes).toEqual({
      '1': {
        value: 0,
        max: 1,
        state: 'running',
        node_id: '1',
        prompt_id: id,
        display_node_id: '1',
        parent_node_id: null,
        real_node_id: '1',
      },
    });
    expect(all[6]!.data).toEqual({ node: '1', display_node: '1', prompt_id: id });
    expect(all[10]!.data).toEqual({ node: '2', display_node: '2', output: { text: ['5'] }, prompt_id: id });
    expect(all.at(-1)!.data).toEqual({ node: null, prompt_id: id });
    expect(entry).toMatchObject({
      outputs: { '2': { text: ['5'] } },
      status: { status_str: 'success', completed: true },
      meta: { '2': { node_id: '2', display_node: '2', parent_node: null, real_node_id: '2' } },
    });
    expect(entry.status.messages.map(([type]) => type)).toEqual([
      'execution_start',
      'execution_cached',
      'execution_success',
    ]);
  });

  it('go to the client alone; without a client, progress goes to all and the rest to nobody', async () => {
    const [mine, other] = [await server.connect('me'), await server.connect('you')];
    const { prompt_id } = await server.submit({ '1': number(1), '2': show('1') }, { client_id: 'me' });
    await mine.done(prompt_id);
    expect(types(other.heard)).toEqual(['status', 'status', 'status', 'status']);
    const nobody = await server.submit({ '1': number(2), '2': show('1') });
    while (!(await server.history(nobody.prompt_id))) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(new Set(types(other.heard))).toEqual(new Set(['status', 'progress_state']));
  });

  it('contain previews: with metadata before `progress`, plain after it', async () => {
    server.close();
    server = imageServer({ customNodes: testNodes(runs) });
    server.host.settings.set('TABD_IMAGE_PREVIEWS', 'latent2rgb');
    server = imageServer({ host: server.host, customNodes: testNodes(runs) });
    const [old, modern] = [await server.connect('me'), await server.connect('me')];
    modern.say('{"type":"feature_flags","data":{"supports_preview_metadata":true}}');
    const graph = { '1': { class_type: 'Steps', inputs: { steps: 1 } }, '2': show('1') };
    const { prompt_id } = await server.submit(graph, { client_id: 'me' });
    await old.done(prompt_id);
    const around = (heard: Client['heard']) => {
      const at = heard.findIndex((message) => message instanceof Uint8Array);
      const name = (message: Client['heard'][number] | undefined) =>
        message instanceof Uint8Array ? 'binary' : message?.type;
      return [name(heard[at - 1]), name(heard[at + 1]), [...(heard[at] as Uint8Array).subarray(0, 8)]];
    };
    expect(around(old.heard).slice(0, 1)).toEqual(['progress']);
    expect(around(old.heard)[2]).toEqual([0, 0, 0, 1, 0, 0, 0, 1]);
    expect(around(modern.heard).slice(0, 2)).toEqual(['progress_state', 'progress']);
    const bytes = modern.heard.find((message) => message instanceof Uint8Array) as Uint8Array;
    const view = new DataView(bytes.buffer);
    expect(view.getUint32(0)).toBe(4);
    const metadata = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + view.getUint32(4))));
    expect(metadata).toMatchObject({ node_id: '1', prompt_id, image_type: 'image/jpeg' });
    expect([...bytes.subarray(8 + view.getUint32(4))]).toEqual([9]);
  });

  it('name the running node to a client that connects again during its prompt', async () => {
    const first = await server.connect('me');
    const graph = { '1': { class_type: 'Steps', inputs: { steps: 50 } }, '2': show('1') };
    const { prompt_id } = await server.submit(graph, { client_id: 'me' });
    while (!types(first.heard).includes('progress')) await new Promise((resolve) => setTimeout(resolve, 1));
    const again = await server.connect('me');
    expect(again.heard[1]).toEqual({ type: 'executing', data: { node: '1' } });
    await again.done(prompt_id);
    expect(types(again.heard)).toContain('execution_success');
  });
});

describe('a graph', () => {
  it('runs only the nodes that an output needs', async () => {
    await server.run({ '1': number(1), '2': number(2), '3': show('2') });
    expect(runs).toEqual(['2', '3']);
  });

  it('maps nodes over lists: shorter lists repeat their last value, shown items are joined', async () => {
    const { entry, heard } = await server.run({
      n: { class_type: 'Numbers', inputs: { count: 3 } },
      a: add(['n', 0], 10),
      s: show('a'),
    });
    expect(entry.outputs.s).toEqual({ text: ['10', '11', '12'] });
    expect(json(heard).filter(({ type }) => type === 'executed')).toHaveLength(1);
    const all = await server.run({
      n: { class_type: 'Numbers', inputs: { count: 3 } },
      s: { class_type: 'ShowAll', inputs: { value: ['n', 0] } },
    });
    expect(all.entry.outputs.s).toEqual({ text: ['[0,1,2]'] });
    const none = await server.run({ n: { class_type: 'Numbers', inputs: { count: 0 } }, s: show('n') });
    expect(none.entry.status.status_str).toBe('success');
  });

  it('runs only the needed source of lazy inputs, and reports the node twice', async () => {
    const { heard, entry } = await server.run({
      a: number(1),
      b: number(2),
      c: { class_type: 'Choose', inputs: { second: 1, a: ['a', 0], b: ['b', 0] } },
      s: show('c'),
    });
    expect(runs).toEqual(['b', 'c', 's']);
    expect(entry.outputs.s).toEqual({ text: ['2'] });
    const order = json(heard).filter(({ type, data }) => type === 'executing' && data.node);
    expect(order.map(({ data }) => data.node)).toEqual(['c', 'b', 'c', 's']);
  });

  it('reports a failing node with its inputs, and reuses what had finished', async () => {
    const graph = {
      '1': number(7),
      '2': { class_type: 'Fail', inputs: { value: ['1', 0] } },
      '3': show('2'),
    };
    const { entry, heard } = await server.run(graph);
    expect(entry.status).toMatchObject({ status_str: 'error', completed: false });
    expect(entry.status.messages.at(-1)).toEqual([
      'execution_error',
      expect.objectContaining({
        node_id: '2',
        node_type: 'Fail',
        executed: ['1'],
        exception_message: 'cannot do 7\n',
        exception_type: 'ValueError',
        current_inputs: { value: [7] },
        current_outputs: ['1', '2', '3'],
      }),
    ]);
    expect(types(heard).slice(-2)).toEqual(['status', 'executing']);
    runs.length = 0;
    const again = await server.run({ '1': number(7), '2': show('1') });
    expect(runs).toEqual(['2']);
    expect(again.entry.status.messages[1]![1]).toMatchObject({ nodes: ['1'] });
  });

  it('fails for a literal where a link belongs, and says how to link', async () => {
    const latent = { class_type: 'RepeatImageBatch', inputs: { image: 'x', amount: 1 } };
    const failed = await server.run({
      '1': latent,
      '2': { class_type: 'PreviewAny', inputs: { source: ['1', 0] } },
    });
    expect(failed.entry.status.messages.at(-1)![1].exception_message).toContain('link it to an output');
  });

  it('keeps seeds of 64 bits exact', async () => {
    const seed = '18446744073709551615';
    const body = `{"prompt": {"1": {"class_type": "PrimitiveInt", "inputs": {"value": 9223372036854775807}},
      "2": {"class_type": "PreviewAny", "inputs": {"source": ["1", 0]}},
      "3": {"class_type": "PreviewAny", "inputs": {"source": ${seed}}}}, "prompt_id": "big"}`;
    const response = await server.ask('POST', '/prompt', body);
    expect(response.status).toBe(200);
    while (!(await server.history('big'))) await new Promise((resolve) => setTimeout(resolve, 1));
    const raw = await (await server.ask('GET', '/history/big')).text();
    expect(raw).toContain(`"source": ${seed}`);
    expect((await server.history('big'))!.outputs).toEqual({
      '2': { text: ['9223372036854775807'] },
      '3': { text: [seed] },
    });
  });
});

describe('cached results', () => {
  const graph = (value: number) => ({ '1': number(value), '2': show('1') });

  it('serve an equal prompt with other ids, whose output is reported again', async () => {
    await server.run(graph(1));
    runs.length = 0;
    const { heard, entry } = await server.run({ x: number(1), y: show('x') });
    expect(runs).toEqual([]);
    expect(entry.status.messages[1]![1]).toMatchObject({ nodes: ['x', 'y'] });
    expect(types(heard).slice(5, 8)).toEqual(['executed', 'progress_state', 'execution_success']);
    expect(entry.outputs).toEqual({ y: { text: ['1'] } });
  });

  it('cover the last prompt alone, and depend on inputs that the node does not have', async () => {
    await server.run(graph(1));
    await server.run(graph(2));
    runs.length = 0;
    await server.run(graph(1));
    expect(runs).toEqual(['1', '2']);
    await server.run({ '1': { class_type: 'Number', inputs: { value: 1, more: 2 } }, '2': show('1') });
    expect(runs).toHaveLength(4);
  });

  it('do not exist for nodes without a fingerprint, nor for what follows them', async () => {
    const fresh = { '1': { class_type: 'Fresh', inputs: {} }, '2': add(['1', 0]), '3': show('2') };
    await server.run(fresh);
    await server.run(fresh);
    expect(runs).toEqual(['1', '2', '3', '1', '2', '3']);
  });

  it('are dropped by /free', async () => {
    await server.run(graph(1));
    expect((await server.ask('POST', '/free', { free_memory: true })).status).toBe(200);
    await server.run(graph(1));
    expect(runs).toEqual(['1', '2', '1', '2']);
  });

  it('are dropped after a running prompt, also when a model is unloaded and deleted meanwhile', async () => {
    await server.host.files.write('output/clip/x_00001_/model.onnx', new Uint8Array(1));
    const steps = { '1': { class_type: 'Steps', inputs: { steps: 50 } }, '2': show('1') };
    const ended = server.run(steps);
    await vi.waitFor(() => expect(runs).toEqual(['1']));
    await server.ask('POST', '/free', { free_memory: true });
    await server.ask('POST', '/free', { unload_models: true });
    expect((await server.ask('DELETE', '/internal/files/output/clip/x_00001_')).status).toBe(204);
    await ended;
    runs.length = 0;
    await server.run(steps);
    expect(runs).toEqual(['1', '2']);
  });

  it('outlast /free of models alone', async () => {
    await server.run(graph(1));
    expect((await server.ask('POST', '/free', { unload_models: true })).status).toBe(200);
    await server.run(graph(1));
    expect(runs).toEqual(['1', '2']);
  });

  it('state the id under which the node ran', async () => {
    await server.run(graph(1));
    const { entry } = await server.run({ a: number(1), b: show('a') });
    expect(entry.meta).toEqual({
      b: { node_id: '2', display_node: '2', parent_node: null, real_node_id: '2' },
    });
  });
});

describe('the queue', () => {
  const long = { '1': { class_type: 'Steps', inputs: { steps: 100000 } }, '2': show('1') };
  const queued = async () => {
    const shown = (await (await server.ask('GET', '/queue')).json()) as Record<string, [number, string][]>;
    return [shown.queue_running!.map(([, id]) => id), shown.queue_pending!.map(([, id]) => id)];
  };

  it('runs prompts by number, then by id; those with `front` last in, first out', async () => {
    await server.submit(long, { prompt_id: 'long' });
    await server.submit({ '1': number(1), '2': show('1') }, { prompt_id: 'b' });
    await server.submit({ '1': number(1), '2': show('1') }, { prompt_id: 'front1', front: true });
    await server.submit({ '1': number(1), '2': show('1') }, { prompt_id: 'front2', front: true });
    await server.submit({ '1': number(1), '2': show('1') }, { prompt_id: 'z', number: '-2.5' });
    await server.submit({ '1': number(1), '2': show('1') }, { prompt_id: 'a', number: -2.5 });
    expect(await queued()).toEqual([['long'], ['front2', 'a', 'z', 'front1', 'b']].map((x) => x));
    expect(await (await server.ask('GET', '/prompt')).json()).toEqual({ exec_info: { queue_remaining: 6 } });
    await server.ask('POST', '/queue', { delete: ['a', 'long', 'nobody'] });
    expect((await queued())[1]).toEqual(['front2', 'z', 'front1', 'b']);
    await server.ask('POST', '/queue', { clear: true });
    expect(await queued()).toEqual([['long'], []]);
    await server.ask('POST', '/interrupt', { prompt_id: 'other' });
    expect((await queued())[0]).toEqual(['long']);
    const listener = await server.connect('x');
    await server.ask('POST', '/interrupt');
    while (!(await server.history('long'))) await new Promise((resolve) => setTimeout(resolve, 1));
    expect((await server.history('long'))!.status).toMatchObject({ status_str: 'error', completed: false });
    expect(types(listener.heard)).toContain('execution_interrupted');
    const after = await server.run({ '1': number(3), '2': show('1') });
    expect(after.entry.status.completed).toBe(true);
  });

  it('runs both of two prompts with the same number and id', async () => {
    const listener = await server.connect('me');
    const twice = { prompt_id: 'same', number: 1, client_id: 'me' };
    await server.submit({ '1': number(1), '2': show('1') }, twice);
    await server.submit({ '1': number(2), '2': show('1') }, twice);
    while (types(listener.heard).filter((type) => type === 'execution_success').length < 2)
      await new Promise((resolve) => setTimeout(resolve, 1));
    expect(runs).toHaveLength(4);
  });

  it('outlasts the server, and so does history', async () => {
    const { id } = await server.run({ '1': number(9), '2': show('1') });
    await server.submit(long, { prompt_id: 'cut off' });
    await server.submit({ '1': number(4), '2': show('1') }, { prompt_id: 'waiting' });
    await server.close();
    runs.length = 0;
    const next = imageServer({ host: server.host, customNodes: testNodes(runs) });
    expect((await next.history(id))!.outputs).toEqual({ '2': { text: ['9'] } });
    while (runs.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await next.ask('POST', '/interrupt', { prompt_id: 'cut off' });
    while (!(await next.history('waiting'))) await new Promise((resolve) => setTimeout(resolve, 1));
    expect((await next.history('waiting'))!.outputs).toEqual({ '2': { text: ['4'] } });
    const numbered = await next.submit({ '1': number(5), '2': show('1') });
    expect((numbered as unknown as { number: number }).number).toBeGreaterThanOrEqual(3);
    await next.close();
  });
});

it('runs a graph of 5,000 nodes', async () => {
  const graph: Record<string, unknown> = { '0': number(0) };
  for (let id = 1; id < 5000; id++) graph[id] = add([String(id - 1), 0]);
  graph.out = show('4999');
  const { entry } = await server.run(graph);
  expect(entry.outputs.out).toEqual({ text: ['4999'] });
}, 20_000);
