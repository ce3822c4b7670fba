/** Changes to a graph that are made as it opens; the files stay as they are. */

import type { FileEdit } from '#core/host';
import { encodeProtobuf, onnxElementNumber, type ProtobufField, protobufMessage } from '#core/tensors';
import type { GraphChange, GraphSource, WeightChange } from '../../values/model-graph.ts';
import { constantsOf } from './graph-constants.ts';
import { insertNodes } from './insert-nodes.ts';
import { encodeFloats } from './stored-floats.ts';

/** Field 7 of ModelProto, field 5 of GraphProto. */
const GRAPH = 7;
const INITIALIZER = 5;

/** Made one by one, as they are asked for. Throws what changes throw, and the signal's reason. */
export async function* graphEdits(
  source: GraphSource,
  changes: readonly GraphChange[],
  signal: AbortSignal,
): AsyncGenerator<FileEdit, void> {
  const outline = await source.outline();
  const fields: ProtobufField[] = [];
  for (const { edits = [], fields: more = [] } of changes) {
    for (const edit of edits) yield { ...edit, file: undefined };
    fields.push(...more);
  }
  const inserted = insertNodes(
    outline,
    changes.flatMap(({ insertions = [] }) => insertions),
  );
  for (const edit of inserted.edits) yield { ...edit, file: undefined };
  fields.push(...inserted.fields);
  const byWeight = changesByWeight(changes);
  const values = constantsOf(outline);
  for (const name of byWeight.keys())
    if (!values.has(name)) throw new Error(`the graph has no weights called ${name}`);
  /** Names of the values that are kept as one. */
  const together = new Map<string, string[]>();
  for (const [name, { initializer }] of values) {
    const names = together.get(initializer.name);
    if (names) names.push(name);
    else together.set(initializer.name, [name]);
  }
  for (const [root, names] of together) {
    if (!names.some((name) => byWeight.has(name))) continue;
    signal.throwIfAborted();
    const { initializer, numbers } = await source.numbers(root);
    const changed = async (name: string) => {
      const own = byWeight.get(name) ?? [];
      // The last one may have the numbers themselves.
      const copy = name === names.at(-1) ? numbers : numbers.slice();
      for (const weight of own) await weight.change(copy, signal);
      return encodeFloats(copy, initializer.type);
    };
    const bytes = await changed(root);
    for (const name of names.slice(1)) {
      const own = await changed(name);
      if (isSame(own, bytes)) continue;
      // It gets numbers of its own under its name, which the node that handed them on has to give up.
      const { start, end } = values.get(name)!.alias!;
      yield { file: undefined, start, bytes: unusedName(name, end - start) };
      const { shape, type } = initializer;
      const tensor = protobufMessage(
        ...shape.map((size): ProtobufField => [1, size]),
        [2, onnxElementNumber(type)],
        [8, name],
        [9, own],
      );
      fields.push([INITIALIZER, tensor]);
    }
    const { file, start } = initializer.location!;
    yield { file, start, bytes };
  }
  // Protobuf joins the parts of a message that comes in several.
  if (fields.length > 0)
    yield {
      file: undefined,
      start: outline.size,
      bytes: encodeProtobuf(protobufMessage([GRAPH, protobufMessage(...fields)])),
    };
}

/** The numbers of a value with all changes made. */
export async function changedNumbers(
  source: GraphSource,
  changes: readonly GraphChange[],
  name: string,
  signal: AbortSignal,
): Promise<Float32Array> {
  const value = constantsOf(await source.outline()).get(name);
  const { numbers } = await source.numbers(value?.initializer.name ?? name);
  for (const weight of changesByWeight(changes).get(name) ?? []) await weight.change(numbers, signal);
  return numbers;
}

export function changesByWeight(changes: readonly GraphChange[]): Map<string, WeightChange[]> {
  const byWeight = new Map<string, WeightChange[]>();
  for (const weight of changes.flatMap(({ weights = [] }) => weights)) {
    const known = byWeight.get(weight.name);
    if (known) known.push(weight);
    else byWeight.set(weight.name, [weight]);
  }
  return byWeight;
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, index) => byte === b[index]);

/** As long as the name that it takes the place of, and asked for by nothing. */
export function unusedName(name: string, length: number): Uint8Array<ArrayBuffer> {
  const unused = new TextEncoder().encode(name).slice(0, length);
  unused[0] = unused[0] === 0x7e ? 0x5f : 0x7e;
  return unused;
}
