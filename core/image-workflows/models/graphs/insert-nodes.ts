/**
 * Inserts nodes between those of a graph as it opens. Protobuf accepts more nodes after the end of the file, and
 * runtimes sort them. Names at the insertion point are overwritten by others of the same length.
 */
import type { FileEdit } from '#core/host';
import type { OnnxNode, OnnxOutline, ProtobufField } from '#core/tensors';
import type { GraphInsertion } from '../../values/model-graph.ts';

/**
 * The edits and fields for all insertions. Several insertions at one point follow one another.
 *
 * @throws when the graph lacks the value of an insertion.
 */
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
    const { range, name } = 'value' in at ? findOutput(outline, at.value) : findInput(at.node, at.input);
    const freshName = renamed(name, edits.length);
    edits.push({ start: range.start, bytes: new TextEncoder().encode(freshName) });
    let from = 'value' in at ? freshName : name;
    const end = 'value' in at ? name : freshName;
    for (const [index, { parts }] of chain.entries()) {
      const to = index === chain.length - 1 ? end : `${end}~${index}`;
      fields.push(...parts(from, to));
      from = to;
    }
  }
  return { edits, fields };
}

const keyOf = ({ at }: GraphInsertion): string =>
  'value' in at ? at.value : `${at.node.inputRanges[at.input]?.start} input`;

function findOutput({ nodes }: OnnxOutline, value: string) {
  for (const { outputs, outputRanges } of nodes) {
    const index = outputs.indexOf(value);
    if (index >= 0) return { range: outputRanges[index]!, name: value };
  }
  throw new Error(`no node of the graph has the output ${value}`);
}

function findInput({ name, inputs, inputRanges }: OnnxNode, index: number) {
  const [range, input] = [inputRanges[index], inputs[index]];
  if (!range || !input) throw new Error(`the node ${name} of the graph has no input ${index}`);
  return { range, name: input };
}

/**
 * A unique name of the same length.
 *
 * @throws for names shorter than those that exporters write.
 */
function renamed(name: string, count: number): string {
  const start = `~${count.toString(36).padStart(2, '0')}~`;
  if (new TextEncoder().encode(name).length !== name.length || name.length < start.length)
    throw new Error(
      `nothing can be inserted at the value "${name}" of the graph: its name is too short or not ASCII, as after an optimization. Use a graph as "optimum-cli export onnx" makes it`,
    );
  return start + name.slice(start.length);
}
