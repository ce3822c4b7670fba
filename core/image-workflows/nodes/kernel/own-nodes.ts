/** Nodes of a site's or a person's own: one file of JavaScript each, in plain objects. */
import type { Log } from '#core/host';
import type { Input, InputOptions } from './inputs.ts';
import type { AnyNode, Output } from './node-type.ts';

/**
 * What such a file exports (`default`, or `nodes`): one of these or several. Inputs are written as `/object_info` shows them:
 * `text: ['STRING', { multiline: true }]`, `mode: [['fast', 'slow']]`, `image: ['IMAGE', { optional: true }]`; outputs by
 * their types: `['IMAGE', 'STRING']`.
 */
export interface OwnNode extends Partial<Omit<AnyNode, 'inputs' | 'outputs'>> {
  name: string;
  inputs?: Record<string, readonly [string | readonly string[], (InputOptions & { optional?: boolean })?]>;
  outputs?: readonly (string | Output)[];
  run: AnyNode['run'];
}

/** Throws with what is wrong with which node. */
export function ownNodesOf(module: Record<string, unknown>): AnyNode[] {
  const given = module.default ?? module.nodes;
  const list = Array.isArray(given) ? given : [given];
  return list.map(ownNode);
}

function ownNode(given: unknown): AnyNode {
  if (!isObject(given))
    throw new TypeError('it exports no node: "export default { name, inputs, outputs, run }"');
  const { name, run, inputs = {}, outputs = [], ...rest } = given as unknown as OwnNode;
  if (typeof name !== 'string' || name === '') throw new TypeError('a node needs a name');
  if (typeof run !== 'function') throw new TypeError(`node ${name} needs a function run`);
  if (!isObject(inputs)) throw new TypeError(`the inputs of node ${name} must be an object`);
  if (!Array.isArray(outputs)) throw new TypeError(`the outputs of node ${name} must be a list of types`);
  return {
    category: 'own',
    module: 'own',
    ...rest,
    name,
    displayName: rest.displayName ?? name,
    inputs: requiredFirst(Object.entries(inputs).map(([key, input]) => [key, ownInput(name, key, input)])),
    outputs: outputs.map((output) => ownOutput(name, output)),
    run,
  };
}

function ownInput(node: string, key: string, given: unknown): Input<unknown, boolean> {
  const [type, options] = Array.isArray(given) ? given : [];
  const isChoice = Array.isArray(type) && type.every((one) => typeof one === 'string');
  if (!isChoice && typeof type !== 'string')
    throw new TypeError(`input ${key} of node ${node} must be written as ['TYPE', { options }]`);
  const { optional, ...published } = (options ?? {}) as InputOptions & { optional?: boolean };
  return {
    type: isChoice ? { choices: type as string[] } : (type as string),
    options: published,
    optional: optional === true,
    ...(published.lazy === true && { lazy: true }),
  };
}

function ownOutput(node: string, given: unknown): Output {
  if (typeof given === 'string') return { type: given };
  if (isObject(given) && typeof given.type === 'string') return given as unknown as Output;
  throw new TypeError(`an output of node ${node} must be a type such as 'IMAGE', or { type, name }`);
}

/** As clients and editors expect them. */
const requiredFirst = (inputs: [string, Input<unknown, boolean>][]) =>
  Object.fromEntries([...inputs].sort(([, a], [, b]) => Number(a.optional) - Number(b.optional)));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The nodes of the files that a setting names, with commas between. A file that cannot be used is told in the log and left
 * out.
 */
export async function importOwnNodes(
  setting: string | undefined,
  load: (name: string) => Promise<Record<string, unknown>>,
  log: Log,
): Promise<AnyNode[]> {
  const found: AnyNode[] = [];
  for (const name of (setting ?? '').split(',').map((part) => part.trim())) {
    if (name === '') continue;
    try {
      found.push(...ownNodesOf(await load(name)));
    } catch (error) {
      log.error('a file of nodes cannot be used', { file: name, error: String(error) });
    }
  }
  return found;
}
