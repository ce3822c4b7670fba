/** Changes to a graph as edits of the bytes that the runtime reads. The files themselves never change. */
import type { FileEdit } from '#core/host';
import {
  encodeProtobuf,
  type OnnxInitializer,
  onnxElementNumber,
  type ProtobufField,
  protobufMessage,
} from '#core/tensors';
import type { GraphChange, GraphSource, WeightChange } from '../../values/model-graph.ts';
import {
  constantsOf,
  type GraphConstant,
  unpackedConstants,
  type WidenedConstant,
  widenedConstants,
} from './graph-constants.ts';
import { insertNodes } from './insert-nodes.ts';
import { encodeFloats } from './stored-floats.ts';

/** `graph` of ModelProto and `initializer` of GraphProto. */
const GRAPH = 7;
const INITIALIZER = 5;

/** `TensorProto.DataLocation`: the elements lie in another file. */
const EXTERNAL = 1;

/**
 * Yields the edits one by one, so that only one weight is in memory at a time. Throws what the changes throw, and the
 * signal's reason.
 *
 * @param widens whether changed weights of 16 bits keep 32 bits where the graph converts them anyway. They then come as
 * files that the graph does not have yet. Otherwise they are rounded to the type of the stored ones.
 */
export async function* graphEdits(
  source: GraphSource,
  changes: readonly GraphChange[],
  signal: AbortSignal,
  widens = false,
): AsyncGenerator<FileEdit, void> {
  const outline = await source.outline();
  const fields: ProtobufField[] = [];
  for (const { edits = [], fields: added = [] } of changes) {
    for (const edit of edits) yield { ...edit, file: undefined };
    fields.push(...added);
  }
  const inserted = insertNodes(
    outline,
    changes.flatMap(({ insertions = [] }) => insertions),
  );
  for (const edit of inserted.edits) yield { ...edit, file: undefined };
  fields.push(...inserted.fields);
  // Blocks cannot take changed numbers: those always keep 32 bits.
  const widened = new Map([...(widens ? widenedConstants(outline) : []), ...unpackedConstants(outline)]);
  const constants = { all: constantsOf(outline), widened };
  fields.push(...(yield* weightEdits(source, constants, changesByWeight(changes), signal)));
  // Protobuf merges a message that is written in several parts, so a second GraphProto extends the first.
  if (fields.length > 0)
    yield {
      file: undefined,
      start: outline.size,
      bytes: encodeProtobuf(protobufMessage([GRAPH, protobufMessage(...fields)])),
    };
}

interface Constants {
  all: ReadonlyMap<string, GraphConstant>;
  widened: ReadonlyMap<string, WidenedConstant>;
}

/** Yields the changed weights in place of the stored ones. Returns fields with those that need a place of their own. */
async function* weightEdits(
  source: GraphSource,
  { all: constants, widened }: Constants,
  byWeight: ReadonlyMap<string, readonly WeightChange[]>,
  signal: AbortSignal,
): AsyncGenerator<FileEdit, ProtobufField[]> {
  for (const name of byWeight.keys())
    if (!constants.has(name)) throw new Error(`the graph has no weights called ${name}`);
  const fields: ProtobufField[] = [];
  for (const [root, names] of namesByInitializer(constants)) {
    if (!names.some((name) => byWeight.has(name))) continue;
    signal.throwIfAborted();
    const { initializer, numbers } = await source.numbers(root);
    const wide = widened.get(root);
    if (wide && names.length === 1) {
      for (const weight of byWeight.get(root) ?? []) await weight.change(numbers, signal);
      fields.push(yield* replaceWidened(wide, initializer.shape, numbers));
      continue;
    }
    const changed = async (name: string) => {
      // The last name may change the numbers themselves, which saves a copy.
      const copy = name === names.at(-1) ? numbers : numbers.slice();
      for (const weight of byWeight.get(name) ?? []) await weight.change(copy, signal);
      return encodeFloats(copy, initializer.type);
    };
    const bytes = await changed(root);
    for (const name of names.slice(1)) {
      const aliasBytes = await changed(name);
      if (isSame(aliasBytes, bytes)) continue;
      // An alias that now differs becomes an initializer of its own, so the Identity node must no longer define it.
      const { start, end } = constants.get(name)!.alias!;
      yield { file: undefined, start, bytes: unusedName(name, end - start) };
      fields.push([INITIALIZER, tensorProto(name, initializer, aliasBytes)]);
    }
    const { file, start } = initializer.location!;
    yield { file, start, bytes };
  }
  return fields;
}

/** The name of the file with the changed numbers of a value that the graph has as 32-bit floats. */
export const changedFile = (value: string): string => `changed ${value}`;

/**
 * Yields the numbers as a new file, and hides the output of the node that made them. Returns the field of the
 * initializer that takes its place.
 */
async function* replaceWidened(
  { name, range: { start, end } }: WidenedConstant,
  shape: readonly number[],
  numbers: Float32Array,
): AsyncGenerator<FileEdit, ProtobufField> {
  const bytes = encodeFloats(numbers, 'F32');
  const file = changedFile(name);
  yield { file, start: 0, bytes };
  yield { file: undefined, start, bytes: unusedName(name, end - start) };
  const entry = (key: string, value: string): ProtobufField => [13, protobufMessage([1, key], [2, value])];
  return [
    INITIALIZER,
    protobufMessage(
      ...shape.map((size): ProtobufField => [1, size]),
      [2, onnxElementNumber('F32')],
      [8, name],
      entry('location', file),
      entry('offset', '0'),
      entry('length', String(bytes.length)),
      [14, EXTERNAL],
    ),
  ];
}

/** The names of all constants that share the elements of one initializer. The initializer's own name comes first. */
function namesByInitializer(constants: ReadonlyMap<string, GraphConstant>): Map<string, string[]> {
  const byInitializer = new Map<string, string[]>();
  for (const [name, { initializer }] of constants) {
    const names = byInitializer.get(initializer.name);
    if (names) names.push(name);
    else byInitializer.set(initializer.name, [name]);
  }
  return byInitializer;
}

const tensorProto = (name: string, { shape, type }: OnnxInitializer, bytes: Uint8Array<ArrayBuffer>) =>
  protobufMessage(
    ...shape.map((size): ProtobufField => [1, size]),
    [2, onnxElementNumber(type)],
    [8, name],
    [9, bytes],
  );

/** The elements of a constant with all changes applied. */
export async function changedNumbers(
  source: GraphSource,
  changes: readonly GraphChange[],
  name: string,
  signal: AbortSignal,
): Promise<Float32Array> {
  const constant = constantsOf(await source.outline()).get(name);
  const { numbers } = await source.numbers(constant?.initializer.name ?? name);
  for (const weight of changesByWeight(changes).get(name) ?? []) await weight.change(numbers, signal);
  return numbers;
}

export function changesByWeight(changes: readonly GraphChange[]): Map<string, WeightChange[]> {
  const byWeight = new Map<string, WeightChange[]>();
  for (const weight of changes.flatMap(({ weights = [] }) => weights)) {
    const existing = byWeight.get(weight.name);
    if (existing) existing.push(weight);
    else byWeight.set(weight.name, [weight]);
  }
  return byWeight;
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, index) => byte === b[index]);

/** A name of the same length that no node takes as its input, so that an edit can hide the original output. */
export function unusedName(name: string, length: number): Uint8Array<ArrayBuffer> {
  const unused = new TextEncoder().encode(name).slice(0, length);
  unused[0] = unused[0] === 0x7e ? 0x5f : 0x7e;
  return unused;
}
