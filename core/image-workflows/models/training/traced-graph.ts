/** A graph with the shapes that its values have for one size of input. */
import type { Tensor } from '#core/host';
import { readNodeAttributes } from '#core/tensors';
import type { GraphChange, ModelGraph } from '../../values/model-graph.ts';
import { constantsOf } from '../graphs/graph-constants.ts';
import { nodeField, outputField } from '../graphs/graph-fields.ts';
import { readPart } from '../graphs/graph-source.ts';
import type { ForwardNode } from './gradients/gradient-rule.ts';

export interface TracedGraph {
  /** In an order in which they can run. */
  readonly nodes: readonly ForwardNode[];
  shape(value: string): readonly number[];
  /** The numbers of a list of integers. Throws for values that no node uses as one. */
  ints(value: string): readonly number[];
}

/** Runs a changed copy of the graph on the input whose shapes are wanted. Resolves to the outputs of these names. */
export type RunCopy = (change: GraphChange, outputs: readonly string[]) => Promise<Record<string, Tensor>>;

/** Bytes of the longest list of integers that is read. Longer ones are tables, not shapes or axes. */
const LONGEST_LIST = 512;

/** Rejects with errors of `run`, and with `ModelCorrupt`. */
export async function traceGraph(graph: ModelGraph, run: RunCopy): Promise<TracedGraph> {
  const outline = await graph.source.outline();
  const file = (await graph.source.parts()).find(({ role }) => role === 'weights')!;
  const read = (start: number, end: number) => readPart(graph.source.files, file, start, end);
  const attributes = await readNodeAttributes(outline.size, read);
  const nodes = outline.nodes.map(
    ({ operator, inputs, outputs }): ForwardNode => ({
      ...{ operator, inputs, outputs },
      attributes: attributes.get(outputs[0]!) ?? {},
    }),
  );
  const lists = new Map<string, readonly number[]>();
  for (const { name, type, location } of outline.initializers) {
    if (type !== 'I64' || !location || location.file !== undefined) continue;
    if (location.end - location.start > LONGEST_LIST) continue;
    const bytes = (await read(location.start, location.end)).slice();
    lists.set(name, [...new BigInt64Array(bytes.buffer)].map(Number));
  }
  const shapes = new Map<string, readonly number[]>();
  for (const [name, { initializer }] of constantsOf(outline)) shapes.set(name, initializer.shape);
  await measure(
    [...outline.inputs, ...nodes.flatMap(({ outputs }) => outputs)],
    { nodes, shapes, lists },
    run,
  );
  return {
    nodes,
    shape: (value) => found(shapes, value, 'the sizes of the value'),
    ints: (value) => found(lists, value, 'the integers'),
  };
}

/** Operators whose inputs after the first one are lists of integers. */
const WITH_LISTS = ['Slice', 'Pad', 'ReduceSum', 'ReduceMean'];

interface Measured {
  nodes: readonly ForwardNode[];
  shapes: Map<string, readonly number[]>;
  lists: Map<string, readonly number[]>;
}

/**
 * The graph itself reports the shapes: each value gets a Shape node whose result is an output. So do lists of integers
 * that exported graphs compute from shapes.
 */
async function measure(values: readonly string[], measured: Measured, run: RunCopy): Promise<void> {
  const { nodes, shapes, lists } = measured;
  const names = [...new Set(values)].filter((name) => name !== '' && !shapes.has(name));
  const outputOf = (index: number) => `shape~${index}`;
  const fields = names.flatMap((name, index) => [
    nodeField('Shape', [name], [outputOf(index)]),
    outputField(outputOf(index), 'I64'),
  ]);
  const computed = nodes.flatMap(({ operator, inputs }) =>
    WITH_LISTS.includes(operator) ? listInputs(operator, inputs).filter((name) => !lists.has(name)) : [],
  );
  const missing = [...new Set(computed)];
  fields.push(...missing.map((name) => outputField(name, 'I64')));
  const outputs = [...names.map((_, index) => outputOf(index)), ...missing];
  const results = await run({ key: 'shapes of all values', fields }, outputs);
  const numbers = (output: string) => Array.from(results[output]!.data as BigInt64Array, Number);
  for (const [index, name] of names.entries()) shapes.set(name, numbers(outputOf(index)));
  for (const name of missing) lists.set(name, numbers(name));
}

/** The third input of Pad is the number that fills. */
const listInputs = (operator: string, inputs: readonly string[]): string[] =>
  inputs.slice(1, operator === 'Pad' ? 2 : undefined).filter((name) => name !== '');

function found<T>(all: ReadonlyMap<string, T>, name: string, what: string): T {
  const value = all.get(name);
  if (value === undefined)
    throw new Error(`this network cannot be trained here: ${what} ${name} are not known`);
  return value;
}
