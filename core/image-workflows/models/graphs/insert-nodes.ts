/**
 * Nodes put between those of a graph as it opens. Protobuf takes further nodes after the end of the file, and runtimes sort
 * them; the names at the place itself are written over by others of the same length.
 */

import type { FileEdit } from '#core/host';
import type { OnnxNode, OnnxOutline, ProtobufField } from '#core/tensors';
import type { GraphInsertion } from '../../values/model-graph.ts';

/** Several at one place follow one another. Throws where the graph has no such value. */
export function insertNodes(
  outline: OnnxOutline,
  insertions: readonly GraphInsertion[],
): { edits: Omit<FileEdit, 'file'>[]; fields: ProtobufField[] } {
  const edits: Omit<FileEdit, 'file'>[] = [];
  const fields: ProtobufField[] = [];
  const chains = new Map<string, GraphInsertion[]>();
  for (const insertion of insertions) {
    const key = keyOf(insertion);
    const chain = chains.get(key);
    if (chain) chain.push(insertion);
    else chains.set(key, [insertion]);
  }
  for (const chain of chains.values()) {
    const { at } = chain[0]!;
    const { place, name } = 'value' in at ? givenAt(outline, at.value) : takenAt(at.node, at.input);
    const other = renamed(name, edits.length);
    edits.push({ start: place.start, bytes: new TextEncoder().encode(other) });
    let from = 'value' in at ? other : name;
    const end = 'value' in at ? name : other;
    for (const [index, { parts }] of chain.entries()) {
      const to = index === chain.length - 1 ? end : `${end}~${index}`;
      fields.push(...parts(from, to));
      from = to;
    }
  }
  return { edits, fields };
}

const keyOf = ({ at }: GraphInsertion): string =>
  'value' in at ? at.value : `${at.node.inputRanges[at.input]?.start} taken`;

function givenAt({ nodes }: OnnxOutline, value: string) {
  for (const { outputs, outputRanges: outputPlaces } of nodes) {
    const index = outputs.indexOf(value);
    if (index >= 0) return { place: outputPlaces[index]!, name: value };
  }
  throw new Error(`no node of the graph gives ${value}`);
}

function takenAt({ name, inputs, inputRanges: inputPlaces }: OnnxNode, input: number) {
  const [place, taken] = [inputPlaces[input], inputs[input]];
  if (!place || !taken) throw new Error(`the node ${name} of the graph takes nothing at place ${input}`);
  return { place, name: taken };
}

/** As long as the name, and unlike all others. Throws for names that are shorter than exporters give. */
function renamed(name: string, count: number): string {
  const start = `~${count.toString(36).padStart(2, '0')}~`;
  if (new TextEncoder().encode(name).length !== name.length || name.length < start.length)
    throw new Error(
      `nothing can be put beside the value "${name}" of the graph: its name is too short or no plain text, as after an optimization. Use a graph as "optimum-cli export onnx" makes it`,
    );
  return start + name.slice(start.length);
}
