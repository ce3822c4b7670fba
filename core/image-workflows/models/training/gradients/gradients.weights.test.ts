/** Rules of differentiation against differences of the results of the runtime. */
import { beforeAll, expect, test } from 'vitest';
import type { Tensor } from '#core/host';
import { GraphBuilder, type ValueInfo } from '#core/tensors';
import { weightsHost } from '#test/support/image-workflows/weights-host.ts';
import type { ModelGraph } from '../../../values/model-graph.ts';
import { elementCount, type FloatTensor } from '../../../values/tensor.ts';
import { outputField } from '../../graphs/graph-fields.ts';
import { graphsOf } from '../../graphs/graph-registry.ts';
import { NodeBuilder } from '../../patches/node-builder.ts';
import { type RunCopy, type TracedGraph, traceGraph } from '../traced-graph.ts';
import { backPropagate, dependents } from './back-propagate.ts';
import type { RuleContext } from './gradient-rule.ts';

/** Half of the distance between the two results of a difference. */
const STEP = 2 ** -8;

const never = new AbortController().signal;
const host = await weightsHost('here');

type Sides = readonly number[];
type Build = (graph: GraphBuilder, inputs: string[]) => string;
const ints = (graph: GraphBuilder, ...values: number[]) => graph.int64Initializer(values);
const nearest = { mode: 'nearest', coordinate_transformation_mode: 'asymmetric', nearest_mode: 'floor' };
/** A graph of one operator over all inputs. */
const op =
  (name: string, attributes: Parameters<GraphBuilder['node']>[2] = {}): Build =>
  (graph, inputs) =>
    graph.node(name, inputs, attributes);

const CASES: [what: string, shapes: Sides[], build: Build][] = [
  ['Add', [[2, 3], [3]], op('Add')],
  [
    'Sub',
    [
      [2, 1, 2],
      [3, 1],
    ],
    op('Sub'),
  ],
  [
    'Mul',
    [
      [2, 3],
      [2, 1],
    ],
    op('Mul'),
  ],
  ['Mul of a value with itself', [[4]], (graph, [x]) => graph.node('Mul', [x!, x!])],
  [
    'Div',
    [[2, 3], [3]],
    (graph, [a, b]) =>
      graph.node('Div', [a!, graph.node('Add', [graph.node('Mul', [b!, b!]), graph.scalarInitializer(1)])]),
  ],
  [
    'Max',
    [
      [2, 3],
      [2, 3],
    ],
    op('Max'),
  ],
  [
    'Min',
    [
      [2, 3],
      [2, 3],
    ],
    op('Min'),
  ],
  ...['Neg', 'Sigmoid', 'Tanh', 'Erf', 'Exp', 'Sin', 'Cos', 'Relu'].map((name): [string, Sides[], Build] => [
    name,
    [[2, 3]],
    op(name),
  ]),
  ['Cast', [[2, 3]], op('Cast', { to: 1 })],
  ['LeakyRelu', [[2, 3]], op('LeakyRelu', { alpha: { float: 0.2 } })],
  ['Sqrt', [[2, 3]], (graph, [x]) => graph.node('Sqrt', [graph.node('Exp', [x!])])],
  ['Reshape', [[2, 3]], (graph, [x]) => graph.node('Reshape', [x!, ints(graph, 3, -1)])],
  ['Flatten', [[2, 3, 2]], op('Flatten', { axis: 1 })],
  [
    'Squeeze and Unsqueeze',
    [[2, 1, 3]],
    (graph, [x]) => graph.node('Unsqueeze', [graph.node('Squeeze', [x!, ints(graph, 1)]), ints(graph, 0)]),
  ],
  ['Transpose', [[2, 3, 4]], op('Transpose', { perm: [2, 0, 1] })],
  [
    'Slice',
    [[3, 4]],
    (graph, [x]) => graph.node('Slice', [x!, ints(graph, 1), ints(graph, -1), ints(graph, -1)]),
  ],
  [
    'Slice to a distant end',
    [[3, 4]],
    (graph, [x]) => graph.node('Slice', [x!, ints(graph, -2), ints(graph, 1000), ints(graph, 0)]),
  ],
  [
    'Slice to an end that the graph computes, with a factor that follows from the shape',
    [[3, 4]],
    (graph, [x]) => {
      const shape = graph.node('Shape', [x!]);
      const rows = graph.node('Slice', [shape, ints(graph, 0), ints(graph, 1)]);
      const part = graph.node('Slice', [x!, ints(graph, 1), rows, ints(graph, 0)]);
      return graph.node('Mul', [part, graph.node('Cast', [rows], { to: 1 })]);
    },
  ],
  [
    'Concat',
    [
      [2, 3],
      [2, 1],
    ],
    op('Concat', { axis: -1 }),
  ],
  ['Pad', [[2, 3]], (graph, [x]) => graph.node('Pad', [x!, ints(graph, 0, 1, 2, 0)])],
  ['Expand', [[2, 1, 3]], (graph, [x]) => graph.node('Expand', [x!, ints(graph, 2, 2, 4, 3)])],
  [
    'Resize to twice the size',
    [[1, 2, 2, 3]],
    (graph, [x]) =>
      graph.node('Resize', [x!, '', graph.floatInitializer('scales', [4], [1, 1, 2, 2])], nearest),
  ],
  [
    'Resize to odd sizes',
    [[1, 1, 2, 3]],
    (graph, [x]) => graph.node('Resize', [x!, '', '', ints(graph, 1, 1, 3, 5)], nearest),
  ],
  ['ReduceMean', [[2, 3, 2]], op('ReduceMean', { axes: [1], keepdims: 0 })],
  ['ReduceSum', [[2, 3]], (graph, [x]) => graph.node('ReduceSum', [x!, ints(graph, -1)])],
  [
    'MatMul',
    [
      [2, 2, 3],
      [3, 2],
    ],
    op('MatMul'),
  ],
  [
    'MatMul of batches',
    [
      [1, 2, 2, 3],
      [2, 1, 3, 2],
    ],
    op('MatMul'),
  ],
  ['Gemm', [[2, 3], [2, 3], [2]], op('Gemm', { transB: 1 })],
  [
    'Gemm as stored',
    [
      [2, 3],
      [3, 2],
    ],
    op('Gemm'),
  ],
  ['Softmax', [[2, 4]], op('Softmax', { axis: -1 })],
  [
    'LayerNormalization',
    [[2, 2, 4], [4], [4]],
    op('LayerNormalization', { axis: -1, epsilon: { float: 1e-3 } }),
  ],
  ['InstanceNormalization', [[1, 2, 6], [2], [2]], op('InstanceNormalization', { epsilon: { float: 1e-3 } })],
  [
    'attention',
    [
      [1, 3, 4],
      [1, 2, 4],
      [1, 2, 4],
    ],
    op('com.microsoft.MultiHeadAttention', { num_heads: 2, scale: { float: 0.6 } }),
  ],
  ...(
    [
      ['Conv', { pads: [1, 1, 1, 1] }],
      ['Conv with steps and padding at the end', { strides: [2, 2], pads: [0, 1, 1, 2] }],
      ['Conv with a wide kernel', { dilations: [2, 1], pads: [2, 1, 2, 1] }],
      ['Conv of groups', { group: 2, pads: [1, 1, 1, 1] }],
    ] as const
  ).map(([what, attributes]): [string, Sides[], Build] => [
    what,
    [[1, 2, 5, 4], [2]],
    (graph, [x, bias]) => {
      const inputs = 'group' in attributes ? 1 : 2;
      const numbers = Array.from({ length: 2 * inputs * 9 }, (_, at) => Math.sin(at * 1.3));
      const kernel = graph.floatInitializer(`kernel of ${what}`, [2, inputs, 3, 3], numbers);
      const lists = Object.fromEntries(
        Object.entries(attributes).map(([name, value]) => [
          name,
          typeof value === 'number' ? value : [...value],
        ]),
      );
      return graph.node('Conv', [x!, kernel, bias!], { kernel_shape: [3, 3], ...lists });
    },
  ]),
];

/** Different numbers that are no multiples of one another. */
const wave = (shape: Sides, seed: number): FloatTensor => ({
  shape,
  data: Float32Array.from({ length: elementCount(shape) }, (_, at) => Math.sin(1 + 2.1 * at + 5 * seed)),
});

/** Opens one graph for all cases: each has its own inputs and its own result. */
function openGraph(cases: typeof CASES): { graph: ModelGraph; inputs: Map<string, FloatTensor>[] } {
  const graph = new GraphBuilder(new Map());
  const inputs = cases.map(
    ([what, shapes]) => new Map(shapes.map((shape, at) => [`${what} ${at}`, wave(shape, at)])),
  );
  for (const [index, [what, , build]] of cases.entries())
    graph.node('Identity', [build(graph, [...inputs[index]!.keys()])], {}, `${what} result`);
  const declared = inputs.flatMap((each) =>
    [...each].map(([name, { shape }]): ValueInfo => ({ name, type: 'float32', shape: [...shape] })),
  );
  const bytes = graph.buildModel(declared, []);
  const parts = async () => [{ role: 'weights' as const, name: 'model.onnx', size: bytes.length, bytes }];
  return { graph: graphsOf(host).built(`${cases.length} cases`, parts), inputs };
}

/** Changed copies, which would open again at each use if nobody held them. */
const copies = new Set<ModelGraph>();

const runnerOf =
  (graph: ModelGraph, inputs: readonly Map<string, FloatTensor>[]): RunCopy =>
  async (change, outputs) => {
    copies.add(graph.withChange(change));
    const feeds = Object.fromEntries(
      inputs.flatMap((each) =>
        [...each].map(([name, tensor]): [string, Tensor] => [name, { type: 'float32', ...tensor }]),
      ),
    );
    return (await graph.withChange(change).session(never)).run(feeds, never, [...outputs]);
  };

async function contextOf(
  graph: ModelGraph,
  traced: TracedGraph,
  values: Iterable<string>,
): Promise<RuleContext> {
  const needed = dependents(traced.nodes, () => false, values);
  return {
    build: new NodeBuilder(await graph.source.outline(), 'back'),
    ...{ shape: traced.shape, ints: traced.ints },
    needs: (value) => needed.has(value),
    read: (value) => value,
  };
}

const { graph, inputs } = openGraph(CASES);
const resultOf = ([what]: (typeof CASES)[number]) => `${what} result`;
/** By the names of inputs: the gradients that were found, and the differences of results for each element. */
const [found, slopes] = [new Map<string, Tensor>(), new Map<string, number[]>()];

beforeAll(async () => {
  const traced = await traceGraph(graph, runnerOf(graph, inputs));
  const context = await contextOf(
    graph,
    traced,
    inputs.flatMap((each) => [...each.keys()]),
  );
  const weights = CASES.map((each) => wave(traced.shape(resultOf(each)), 9));
  const outputs = new Map<string, string>();
  for (const [index, each] of CASES.entries()) {
    const seed = context.build.constant(weights[index]!.shape, weights[index]!.data);
    const gradients = backPropagate(traced.nodes, [resultOf(each), seed], context);
    for (const name of inputs[index]!.keys()) outputs.set(name, gradients.get(name)!);
  }
  const fields = [...context.build.fields, ...[...outputs.values()].map((name) => outputField(name, 'F32'))];
  const results = await runnerOf(graph, inputs)({ key: 'gradients', fields }, [...outputs.values()]);
  for (const [name, output] of outputs) found.set(name, results[output]!);

  const change = { key: 'results', fields: CASES.map((each) => outputField(resultOf(each), 'F32')) };
  /** The weighted sums of all results, where one element of one input of each case is changed. */
  const objectives = async (input: number, element: number, by: number) => {
    const moved = inputs.map(
      (each) =>
        new Map(
          [...each].map(([name, { shape, data }], at): [string, FloatTensor] => [
            name,
            { shape, data: data.map((value, i) => (at === input && i === element ? value + by : value)) },
          ]),
        ),
    );
    const results = await runnerOf(graph, moved)(change, CASES.map(resultOf));
    return CASES.map((each, index) =>
      (results[resultOf(each)]!.data as Float32Array).reduce(
        (sum, value, i) => sum + value * weights[index]!.data[i]!,
        0,
      ),
    );
  };
  const all = inputs.map((each) => [...each]);
  for (let input = 0; input < Math.max(...all.map(({ length }) => length)); input++)
    for (let element = 0; all.some((each) => element < (each[input]?.[1].data.length ?? 0)); element++) {
      const [before, after] = [
        await objectives(input, element, -STEP),
        await objectives(input, element, STEP),
      ];
      for (const [index, each] of all.entries()) {
        const [name = '', tensor] = each[input] ?? [];
        if (element >= (tensor?.data.length ?? 0)) continue;
        const slope = (after[index]! - before[index]!) / (2 * STEP);
        slopes.set(name, [...(slopes.get(name) ?? []), slope]);
      }
    }
  await graph.unload();
});

test.each(CASES.map((each, index) => [each[0], index] as const))('the gradient of %s', (_, index) => {
  for (const [name, { shape }] of inputs[index]!) {
    const gradient = found.get(name)!;
    expect(gradient.shape).toEqual(shape);
    const expected = slopes.get(name)!;
    expect(expected).toHaveLength(elementCount(shape));
    for (const [element, slope] of expected.entries())
      expect(Math.abs(slope - (gradient.data as Float32Array)[element]!)).toBeLessThan(
        2e-3 * (1 + Math.abs(slope)),
      );
  }
});

test('an operator without a rule is named', async () => {
  const { graph, inputs } = openGraph([['Softsign', [[2, 3]], op('Softsign')]]);
  const traced = await traceGraph(graph, runnerOf(graph, inputs));
  const context = await contextOf(graph, traced, ['Softsign 0']);
  expect(() => backPropagate(traced.nodes, ['Softsign result', 'given'], context)).toThrow(
    'its operator Softsign',
  );
});
