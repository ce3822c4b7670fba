import { describe, expect, test, vi } from 'vitest';
import { ProviderUnusable, type Tensor } from '#core/host';
import { GraphBuilder } from './onnx-file/graph-builder.ts';
import { readOnnxOutline } from './onnx-file/read-graph-file.ts';
import type { SessionOptions } from './onnxruntime.ts';
import { ServedSession } from './served-session.ts';
import type { OpenMessage, SessionReport } from './session-protocol.ts';

const OPEN: OpenMessage<string> = {
  type: 'open',
  graph: 'graph',
  data: [{ name: 'weights', size: 4, file: 'weights' }],
  isEdited: false,
  provider: 'wasm',
  threads: 0,
};
const feeds: Record<string, Tensor> = { x: { type: 'int32', shape: [1], data: Int32Array.of(2) } };

/** A session over an onnxruntime that triples its input. `create` and `run` replace parts of it. */
function setUp(
  options: {
    create?: (graph: Uint8Array, options: object) => unknown;
    run?: (names: readonly string[]) => Promise<never>;
    prepare?: () => Promise<never>;
    memory?: number[];
    lacksHalf?: boolean;
    lost?: () => Promise<string>;
    mapping?: SessionOptions;
    keepsOnGpu?: boolean;
  } = {},
) {
  const reports: SessionReport[] = [];
  const disposed: string[] = [];
  const session = {
    inputNames: ['x'],
    outputNames: ['y', 'z'],
    inputMetadata: [{ name: 'x', isTensor: true, type: 'int32', shape: [1] }],
    outputMetadata: [],
    run: async (inputs: { x: { data: Int32Array } }, names: readonly string[]) => {
      if (options.run) return options.run(names);
      const data = inputs.x.data.map((number) => number * 3);
      return Object.fromEntries(
        names.map((name) => [
          name,
          { type: 'int32', dims: [1], data, getData: async () => data, dispose: () => disposed.push(name) },
        ]),
      );
    },
  };
  const create = vi.fn(options.create ?? (() => session));
  const ort = {
    InferenceSession: { create },
    Tensor: class {
      constructor(
        readonly type: string,
        readonly data: unknown,
      ) {}
    },
  };
  const { memory, lacksHalf, lost, mapping, keepsOnGpu } = options;
  const served = new ServedSession<string>({
    prepare:
      options.prepare ??
      (async () => ({ ort: ort as never, device: 'CPU', lacksHalf, lost, mapping, keepsOnGpu })),
    read: async (file) => new TextEncoder().encode(file),
    ...(memory && { memory: () => memory.shift()! }),
    send: (report) => reports.push(report),
  });
  const until = (type: SessionReport['type']) =>
    vi.waitFor(() => {
      const report = reports.find((each) => each.type === type);
      expect(report).toBeDefined();
      return report!;
    });
  return { served, reports, disposed, create, until };
}

describe('opening', () => {
  test('reads the files, reports how much, and describes the graph', async () => {
    const { served, reports, create, until } = setUp({ memory: [100, 350] });
    served.receive(OPEN);
    await until('opened');
    expect(reports).toEqual([
      { type: 'progress', fraction: 0 },
      { type: 'progress', fraction: 0.8 },
      { type: 'progress', fraction: 1 },
      {
        type: 'opened',
        opened: {
          inputs: [{ name: 'x', type: 'int32', shape: [1] }],
          outputs: [],
          device: 'CPU',
          memory: 250,
        },
      },
    ]);
    const [graph, options] = create.mock.calls[0]!;
    expect(new TextDecoder().decode(graph)).toBe('graph');
    expect(options).toMatchObject({
      executionProviders: ['wasm'],
      externalData: [{ path: 'weights', data: new TextEncoder().encode('weights') }],
    });
  });

  test('leaves 16-bit floats to the CPU where the shaders of a GPU have none', async () => {
    const weights = new Map([['w', { file: 'weights', type: 'F16', shape: [2], start: 0, end: 4 }]]);
    const graph = new GraphBuilder(weights);
    const sum = graph.node('Add', [graph.externalFloats('w'), 'x'], {}, 'sum');
    const bytes = graph.buildModel([], [{ name: sum, type: 'float32', shape: [2] }]);
    const providers = async (lacksHalf: boolean) => {
      const { served, create, until } = setUp({ lacksHalf });
      served.receive({ ...OPEN, graph: bytes, provider: 'webgpu' });
      await until('opened');
      return (create.mock.calls[0]![1] as { executionProviders: unknown }).executionProviders;
    };
    const [conversion] = (
      await readOnnxOutline(bytes.length, async (start, end) => bytes.subarray(start, end))
    ).nodes;
    expect(await providers(false)).toEqual(['webgpu']);
    expect(await providers(true)).toEqual([{ name: 'webgpu', forceCpuNodeNames: [conversion!.name] }]);
  });

  test('gives weights of shared files to such a GPU as 32-bit floats', async () => {
    const weights = new Map([['w', { file: 'weights', type: 'F16', shape: [2], start: 0, end: 4 }]]);
    const graph = new GraphBuilder(weights);
    const sum = graph.node('Add', [graph.externalFloats('w'), 'x'], {}, 'sum');
    const bytes = graph.buildModel([], [{ name: sum, type: 'float32', shape: [2] }]);
    const { served, create, until } = setUp({ lacksHalf: true });
    const data = [{ name: 'weights', size: 4, file: 'abcd', isShared: true }];
    served.receive({ ...OPEN, graph: bytes, data, provider: 'webgpu' });
    await until('opened');
    expect(create.mock.calls[0]![1]).toMatchObject({
      executionProviders: ['webgpu'],
      externalData: [{ data: expect.objectContaining({ length: 8 }) }],
    });
  });

  test.each([
    ['16-bit floats of the GPU where weights stay as stored', { keepsStoredWeights: true }, false, 4],
    ['32-bit floats where its shaders have no others', { keepsStoredWeights: true }, true, 8],
    ['32-bit floats where the runtime converts them once', {}, false, 8],
  ] as const)('BF16 weights become %s', async (_what, options, lacksHalf, length) => {
    const weights = new Map([['w', { file: 'weights', type: 'BF16', shape: [2], start: 0, end: 4 }]]);
    const graph = new GraphBuilder(weights);
    const sum = graph.node('Add', [graph.externalFloats('w'), 'x'], {}, 'sum');
    const bytes = graph.buildModel([], [{ name: sum, type: 'float32', shape: [2] }]);
    const { served, create, until } = setUp({ lacksHalf });
    const data = [{ name: 'weights', size: 4, file: 'abcd', isShared: true }];
    served.receive({ ...OPEN, ...options, graph: bytes, data, provider: 'webgpu' });
    await until('opened');
    const { externalData } = create.mock.calls[0]![1] as {
      externalData: { path: string; data: Uint8Array }[];
    };
    expect(externalData).toHaveLength(1);
    expect(externalData[0]!.data).toHaveLength(length);
  });

  test('applies edits to the graph and its data until there are no more', async () => {
    const { served, reports, create, until } = setUp();
    const edits = [
      { file: undefined, start: 5, bytes: new TextEncoder().encode('!') },
      { file: 'weights', start: 0, bytes: new TextEncoder().encode('W') },
      { file: 'other', start: 0, bytes: new TextEncoder().encode('-') },
      undefined,
    ];
    served.receive({ ...OPEN, isEdited: true });
    for (const [index, edit] of edits.entries()) {
      await vi.waitFor(() =>
        expect(reports.filter(({ type }) => type === 'edit-wanted')).toHaveLength(index + 1),
      );
      served.receive({ type: 'edit', edit });
    }
    await until('opened');
    const [graph, options] = create.mock.calls[0]!;
    expect(new TextDecoder().decode(graph)).toBe('graph!');
    const { externalData } = options as { externalData: { data: Uint8Array }[] };
    expect(new TextDecoder().decode(externalData[0]!.data)).toBe('Weights');
  });

  const MAPPING = { extra: { session: { folder: 'a' } } };
  const bytes = new TextEncoder().encode('G');
  test.each([
    ['the graph leave the data mapped', undefined, MAPPING],
    ['mapped data read it', 'weights', { externalData: [{ path: 'weights' }] }],
    ['new data read the mapped data', 'other', { externalData: [{ path: 'weights' }, { path: 'other' }] }],
  ])('edits of %s', async (_, file, expected) => {
    const { served, reports, create, until } = setUp({ mapping: MAPPING });
    served.receive({ ...OPEN, isEdited: true });
    for (const [index, edit] of [{ file, start: 0, bytes }, undefined].entries()) {
      await vi.waitFor(() =>
        expect(reports.filter(({ type }) => type === 'edit-wanted')).toHaveLength(index + 1),
      );
      served.receive({ type: 'edit', edit });
    }
    await until('opened');
    const [graph, options] = create.mock.calls[0]!;
    expect(new TextDecoder().decode(graph)).toBe(file ? 'graph' : 'Graph');
    expect(options).toMatchObject(expected);
    expect(['extra' in options, 'externalData' in options]).toEqual([!file, file !== undefined]);
  });

  test.each([
    ['std::bad_alloc', 'memory'],
    ['WebAssembly.Memory: out of memory', 'memory'],
    ['[NOT_IMPLEMENTED] Could not find an implementation for Foo', 'unsupported'],
    ['INVALID_PROTOBUF: parsing failed', 'corrupt'],
    ['something else', 'provider'],
  ])('%s: the kind of the error is %s', async (message, kind) => {
    const { served, until } = setUp({
      create: () => {
        throw new Error(message);
      },
    });
    served.receive(OPEN);
    expect(await until('open-failed')).toEqual({ type: 'open-failed', failure: { kind, message } });
  });

  test('a provider that the platform lacks is unusable, whatever the text says', async () => {
    const { served, until } = setUp({
      prepare: () => Promise.reject(new ProviderUnusable('out of memory')),
    });
    served.receive(OPEN);
    expect(await until('open-failed')).toMatchObject({ failure: { kind: 'provider' } });
  });

  test('leaves outputs that runs keep on a GPU whose build can', async () => {
    for (const [keepsOnGpu, location] of [
      [true, { 'present.0': 'gpu-buffer' }],
      [false, undefined],
    ] as const) {
      const { served, create, until } = setUp({ keepsOnGpu });
      served.receive({ ...OPEN, keeps: ['present.0'] });
      await until('opened');
      const [, options] = create.mock.calls[0] as [Uint8Array, SessionOptions];
      expect(options.preferredOutputLocation).toEqual(location);
    }
  });

  test('a lost GPU is reported', async () => {
    const { served, until } = setUp({ lost: async () => 'the driver was reset' });
    served.receive(OPEN);
    expect(await until('lost')).toEqual({ type: 'lost', message: 'the driver was reset' });
  });
});

describe('running', () => {
  const opened = async (options: Parameters<typeof setUp>[0] = {}) => {
    const parts = setUp(options);
    parts.served.receive(OPEN);
    await parts.until('opened');
    return parts;
  };

  test('returns all outputs, or those that were named, and frees them', async () => {
    const { served, reports, disposed, until } = await opened();
    served.receive({ type: 'run', id: 1, feeds, outputNames: undefined });
    const y = { type: 'int32', shape: [1], data: Int32Array.of(6) };
    expect(await until('result')).toEqual({ type: 'result', id: 1, outputs: { y, z: y } });
    served.receive({ type: 'run', id: 2, feeds, outputNames: ['z'] });
    await vi.waitFor(() => expect(reports.at(-1)).toEqual({ type: 'result', id: 2, outputs: { z: y } }));
    expect(disposed).toEqual(['y', 'z', 'z']);
  });

  test('keeps outputs as inputs of later runs, and frees the replaced ones', async () => {
    const { served, reports, disposed } = await opened();
    const last = (id: number, outputs: Record<string, number>) =>
      vi.waitFor(() =>
        expect(reports.at(-1)).toEqual({
          type: 'result',
          id,
          outputs: Object.fromEntries(
            Object.entries(outputs).map(([name, number]) => [
              name,
              { type: 'int32', shape: [1], data: Int32Array.of(number) },
            ]),
          ),
        }),
      );
    served.receive({ type: 'run', id: 1, feeds, outputNames: ['z'], keep: { y: 'x' } });
    await last(1, { z: 6 });
    expect(disposed).toEqual(['z']);
    served.receive({ type: 'run', id: 2, feeds: {}, outputNames: ['y'], keep: { y: 'x' } });
    await last(2, { y: 18 });
    expect(disposed).toEqual(['z', 'y']);
    served.receive({ type: 'run', id: 3, feeds, outputNames: ['y'] });
    await last(3, { y: 6 });
    served.receive({ type: 'run', id: 4, feeds: {}, outputNames: ['y'] });
    await last(4, { y: 54 });
  });

  test('a failed run leaves the kept outputs as they are', async () => {
    const { served, reports, until } = await opened();
    served.receive({ type: 'run', id: 1, feeds, outputNames: [], keep: { y: 'x' } });
    await until('result');
    const badFeeds: typeof feeds = { x: { type: 'int32', shape: [2], data: Int32Array.of(1) } };
    served.receive({ type: 'run', id: 2, feeds: badFeeds, outputNames: [], keep: { z: 'x' } });
    await until('run-failed');
    served.receive({ type: 'run', id: 3, feeds: {}, outputNames: ['y'] });
    await vi.waitFor(() => expect(reports.at(-1)).toMatchObject({ id: 3, type: 'result' }));
  });

  test('runs follow one another, also after one that failed', async () => {
    const { served, reports, until } = await opened();
    const badFeeds: typeof feeds = { x: { type: 'int32', shape: [2], data: Int32Array.of(1) } };
    served.receive({ type: 'run', id: 1, feeds: badFeeds, outputNames: undefined });
    served.receive({ type: 'run', id: 2, feeds, outputNames: ['y'] });
    await until('result');
    expect(reports.slice(-2).map(({ type }) => type)).toEqual(['run-failed', 'result']);
    expect(reports.at(-2)).toEqual({
      type: 'run-failed',
      id: 1,
      failure: { kind: 'request', message: 'the input x has 1 numbers and the shape [2]' },
    });
  });

  test.each([Object.assign(new Error('unreachable'), { name: 'RuntimeError' }), new Error('Aborted(OOM)')])(
    'a runtime that stopped ends the session: %o',
    async (error) => {
      const { served, until } = await opened({ run: () => Promise.reject(error) });
      served.receive({ type: 'run', id: 1, feeds, outputNames: undefined });
      expect(await until('lost')).toEqual({ type: 'lost', message: error.message });
    },
  );

  test.each([
    ['std::bad_alloc', 'memory'],
    ['Failed to allocate memory for requested buffer of size 8589934592', 'memory'],
    ['Got invalid dimensions for input: x', 'request'],
  ])('%s: the kind of the error of a run is %s', async (message, kind) => {
    const { served, until } = await opened({ run: () => Promise.reject(new Error(message)) });
    served.receive({ type: 'run', id: 1, feeds, outputNames: undefined });
    expect(await until('run-failed')).toEqual({ type: 'run-failed', id: 1, failure: { kind, message } });
  });

  test('a run before the graph is open fails', async () => {
    const { served, until } = setUp();
    served.receive({ type: 'run', id: 1, feeds, outputNames: undefined });
    expect(await until('run-failed')).toMatchObject({ failure: { message: 'no graph is open here' } });
  });
});
