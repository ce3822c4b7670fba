/** Changes to a graph that are made as it opens; the files stay as they are. */
import type { FileEdit } from '../../host/tensor-engine.ts';
import { encode, type Field, message } from '../../tensors/onnx-file/protobuf.ts';
import type { GraphSource } from './graph-source.ts';
import { bytesOf } from './stored-numbers.ts';

export interface GraphChange {
  /** Two changes of one key are the same. */
  readonly key: string;
  readonly weights?: readonly WeightChange[];
  /** Over bytes of the graph's file. */
  readonly edits?: readonly Omit<FileEdit, 'file'>[];
  /** Further inputs and outputs: fields of the GraphProto. */
  readonly fields?: readonly Field[];
}

export interface WeightChange {
  /** Of an initializer whose numbers are floats. */
  readonly name: string;
  /** Changes its numbers in place. Rejects with the signal's reason. */
  change(numbers: Float32Array, signal: AbortSignal): Promise<void>;
}

/** Field 7 of ModelProto. */
const GRAPH = 7;

/** Rejects with the signal's reason. */
export async function editsOf(
  source: GraphSource,
  changes: readonly GraphChange[],
  signal: AbortSignal,
): Promise<FileEdit[]> {
  const outline = await source.outline();
  const edits: FileEdit[] = [];
  const fields: Field[] = [];
  const byWeight = new Map<string, WeightChange[]>();
  for (const change of changes) {
    for (const weight of change.weights ?? []) {
      const known = byWeight.get(weight.name);
      if (known) known.push(weight);
      else byWeight.set(weight.name, [weight]);
    }
    edits.push(...(change.edits ?? []).map((edit) => ({ ...edit, file: undefined })));
    fields.push(...(change.fields ?? []));
  }
  for (const [name, weights] of byWeight) {
    const { initializer, numbers } = await source.numbers(name);
    signal.throwIfAborted();
    for (const weight of weights) await weight.change(numbers, signal);
    const { file, start } = initializer.place!;
    edits.push({ file, start, bytes: bytesOf(numbers, initializer.type) });
  }
  // Protobuf joins the parts of a message that comes in several.
  if (fields.length > 0)
    edits.push({ file: undefined, start: outline.size, bytes: encode(message([GRAPH, message(...fields)])) });
  return edits;
}
