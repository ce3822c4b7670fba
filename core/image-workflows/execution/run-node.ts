/** One node: its inputs gathered as lists, called once for each index, its outputs collected as lists. */
import type { GraphNode } from '../graph/graph.ts';
import { asLink } from '../graph/graph.ts';
import { choicesOf } from '../nodes/kernel/describe.ts';
import type { Input } from '../nodes/kernel/inputs.ts';
import type { NodeContext } from '../nodes/kernel/node-context.ts';
import type { AnyNode, Inputs, NodeResult, Ui } from '../nodes/kernel/node-type.ts';
import { toInputValue, toOutputValue } from '../python/node-values.ts';
import type { NodeOutputs } from './result-cache.ts';

/** Of an input that is there: all its values. */
export type InputLists = Record<string, unknown[]>;

/** Types that are written into a graph as they are; all others come by links. */
const LITERAL_TYPES = new Set([
  ...['INT', 'FLOAT', 'FLOATS', 'STRING', 'BOOLEAN', 'COMBO'],
  // Files that an editor recorded and uploaded.
  ...['WEBCAM', 'AUDIO_RECORD', 'LOAD_3D', 'LOAD_3D_ANIMATION', 'LOAD3D_CAMERA', '*'],
]);

/** A value that no node can work with. */
export class InvalidInput extends Error {
  override name = 'ValueError';
}

/** The values of a node's inputs; of lazy ones only those that are there. */
export function gatherInputs(
  node: GraphNode,
  type: AnyNode,
  resultOf: (id: string) => NodeOutputs | undefined,
): InputLists {
  const lists: InputLists = {};
  for (const name of Object.keys(type.inputs)) {
    const value = node.inputs?.get(name);
    if (value === undefined) continue;
    const link = asLink(value);
    const list = link ? resultOf(link.node)?.outputs.at(link.slot) : [value];
    if (list) lists[name] = list;
  }
  return lists;
}

export async function runNode(
  node: GraphNode,
  type: AnyNode,
  lists: InputLists,
  context: NodeContext,
): Promise<NodeOutputs> {
  await checkLiterals(node, type, context);
  const inputs = type.inputs as Inputs;
  const plain = Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [
      name,
      list.map((value) => toInputValue(inputs[name], value)),
    ]),
  );
  if (type.inputsAreLists) return collect(type, [await type.run(plain, context)]);
  const results: NodeResult[] = [];
  for (const values of rows(plain)) {
    context.signal.throwIfAborted();
    results.push(await type.run(values, context));
  }
  return collect(type, results);
}

/** One set of values for each index up to the longest list; shorter ones repeat their last. */
export function rows(lists: InputLists): Record<string, unknown>[] {
  const all = Object.entries(lists);
  if (all.some(([, list]) => list.length === 0)) return [];
  const count = Math.max(1, ...all.map(([, list]) => list.length));
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(all.map(([name, list]) => [name, list[Math.min(index, list.length - 1)]])),
  );
}

/** What validation lets through, as the system imitated does, and nothing can be made of. */
async function checkLiterals(node: GraphNode, type: AnyNode, context: NodeContext): Promise<void> {
  for (const [name, input] of Object.entries(type.inputs as Inputs)) {
    const value = node.inputs?.get(name);
    if (value === undefined || asLink(value)) continue;
    if (typeof input.type === 'string' && !isLiteralType(input))
      throw new InvalidInput(
        `${name} takes ${article(input.type)} from another node: link it to an output, as ["node id", output number]`,
      );
    // What a node checks by itself may name more than its list shows.
    if (typeof input.type === 'string' || !type.modern || type.validate?.inputs.includes(name)) continue;
    const choices = (await choicesOf(input, context.files)) ?? [];
    if (!choices.includes(value as string))
      throw new InvalidInput(
        `${name} is ${JSON.stringify(String(value))}, which is not one of: ${choices.join(', ')}`,
      );
  }
}

function isLiteralType(input: Input<unknown, boolean>): boolean {
  return (input.type as string).split(',').some((type) => LITERAL_TYPES.has(type.trim()));
}

const article = (type: string) => `${/^[AEIOU]/.test(type) ? 'an' : 'a'} ${type}`;

function collect(type: AnyNode, results: NodeResult[]): NodeOutputs {
  const outputs: unknown[][] = type.outputs.map(() => []);
  let ui: Ui | undefined;
  for (const result of results) {
    const isPlain = Array.isArray(result);
    const values = (isPlain ? result : (result as { outputs?: readonly unknown[] }).outputs) ?? [];
    for (const [slot, { type: name, list }] of type.outputs.entries()) {
      const value = values[slot];
      const several = list ? (value as readonly unknown[]) : [value];
      outputs[slot]!.push(...several.map((one) => toOutputValue(name, one)));
    }
    const shown = isPlain ? undefined : (result as { ui?: Ui }).ui;
    for (const [key, list] of Object.entries(shown ?? {})) {
      ui ??= {};
      ui[key] = [...(ui[key] ?? []), ...list];
    }
  }
  return { outputs, ...(ui && { ui }) };
}
