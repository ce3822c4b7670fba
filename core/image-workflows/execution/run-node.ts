import type { PromptNode, PromptNodeId } from '../graph/graph.ts';
import { asLink, inputsOf } from '../graph/graph.ts';
import { choicesOf } from '../nodes/kernel/describe.ts';
import { nestValues } from '../nodes/kernel/dynamic-inputs.ts';
import type { Input } from '../nodes/kernel/inputs.ts';
import type { NodeContext } from '../nodes/kernel/node-context.ts';
import type { AnyNode, Inputs, NodeResult, Ui } from '../nodes/kernel/node-type.ts';
import { toInputValue, toOutputValue } from '../python/node-values.ts';
import type { NodeOutputs } from './result-cache.ts';

/** All values of each input that has any. */
export type InputLists = Record<string, unknown[]>;

/** Types whose values a graph holds as literals. Values of all other types come by links. */
const LITERAL_TYPES = new Set([
  ...['INT', 'FLOAT', 'FLOATS', 'STRING', 'BOOLEAN', 'COMBO'],
  // Names of files that an editor recorded and uploaded.
  ...['WEBCAM', 'AUDIO_RECORD', 'LOAD_3D', 'LOAD_3D_ANIMATION', 'LOAD3D_CAMERA', '*', 'COMFY_MATCHTYPE_V3'],
]);

/** The node cannot work with a value in the graph. */
export class InvalidInput extends Error {
  override name = 'ValueError';
}

/** The values of a node's inputs. Lazy inputs are left out while their source has no result. */
export function gatherInputs(
  node: PromptNode,
  type: AnyNode,
  resultOf: (id: PromptNodeId) => NodeOutputs | undefined,
): InputLists {
  const lists: InputLists = {};
  for (const name of Object.keys(inputsOf(node, type))) {
    const value = node.inputs?.get(name);
    if (value === undefined) continue;
    const link = asLink(value);
    const list = link ? resultOf(link.node)?.outputs.at(link.slot) : [value];
    if (list) lists[name] = list;
  }
  return lists;
}

/**
 * Runs a node once for each index of its input lists, or once with whole lists when it takes lists.
 * @throws `InvalidInput`, the reason of the context's signal, or what the node throws
 */
export async function runNode(
  node: PromptNode,
  type: AnyNode,
  lists: InputLists,
  context: NodeContext,
): Promise<NodeOutputs> {
  await checkLiterals(node, type, context);
  const inputs = inputsOf(node, type);
  const nested = (row: Record<string, unknown>) => nestValues(type.inputs as Inputs, row);
  const values = Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [
      name,
      list.map((value) => toInputValue(inputs[name], value)),
    ]),
  );
  if (type.inputsAreLists) return joinResults(type, [await type.run(nested(values), context)]);
  const results: NodeResult[] = [];
  for (const row of toRows(values)) {
    context.signal.throwIfAborted();
    results.push(await type.run(nested(row), context));
  }
  return joinResults(type, results);
}

/** One set of values for each index of the longest list. Shorter lists repeat their last value. An empty list allows no row. */
export function toRows(lists: InputLists): Record<string, unknown>[] {
  const all = Object.entries(lists);
  if (all.some(([, list]) => list.length === 0)) return [];
  const count = Math.max(1, ...all.map(([, list]) => list.length));
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(all.map(([name, list]) => [name, list[Math.min(index, list.length - 1)]])),
  );
}

/** Refuses literals that validation accepts, as ComfyUI's does, although no node can use them. */
async function checkLiterals(node: PromptNode, type: AnyNode, context: NodeContext): Promise<void> {
  for (const [name, input] of Object.entries(inputsOf(node, type))) {
    const value = node.inputs?.get(name);
    if (value === undefined || asLink(value)) continue;
    if (typeof input.type === 'string' && !isLiteralType(input.type))
      throw new InvalidInput(
        `${name} takes ${withArticle(input.type)} from another node: link it to an output, as ["node id", output number]`,
      );
    // A node with its own check may accept more names than its list shows.
    if (typeof input.type === 'string' || !type.modern || type.validate?.inputs.includes(name)) continue;
    await checkChoice(name, input, value, context);
  }
}

async function checkChoice(
  name: string,
  input: Input<unknown, boolean>,
  value: unknown,
  { files }: NodeContext,
): Promise<void> {
  const choices = (await choicesOf(input, files)) ?? [];
  if (!choices.includes(value as string))
    throw new InvalidInput(
      `${name} is ${JSON.stringify(String(value))}, which is not one of: ${choices.join(', ')}`,
    );
}

/** @param type a name, or a union such as `IMAGE,FLOAT` */
function isLiteralType(type: string): boolean {
  return type.split(',').some((part) => LITERAL_TYPES.has(part.trim()));
}

const withArticle = (type: string) => `${/^[AEIOU]/.test(type) ? 'an' : 'a'} ${type}`;

/** The results of all calls as one: outputs and shown items are lists, in the order of the calls. */
function joinResults(type: AnyNode, results: readonly NodeResult[]): NodeOutputs {
  const outputs: unknown[][] = type.outputs.map(() => []);
  let ui: Ui | undefined;
  for (const result of results) {
    const isPlain = Array.isArray(result);
    const values = (isPlain ? result : (result as { outputs?: readonly unknown[] }).outputs) ?? [];
    for (const [slot, { type: outputType, list }] of type.outputs.entries()) {
      const items = list ? (values[slot] as readonly unknown[]) : [values[slot]];
      outputs[slot]!.push(...items.map((item) => toOutputValue(outputType, item)));
    }
    const shown = isPlain ? undefined : (result as { ui?: Ui }).ui;
    for (const [key, list] of Object.entries(shown ?? {})) {
      ui ??= {};
      ui[key] = [...(ui[key] ?? []), ...list];
    }
  }
  return { outputs, ...(ui && { ui }) };
}
