/** Nodes that a site or a user adds: JavaScript files that export plain objects. */
import { isObject } from '#core/base';
import type { Log } from '#core/host';
import type { Input, InputOptions } from './inputs.ts';
import type { AnyNode, Output } from './node-type.ts';

/**
 * A node in such a file. The file exports one or an array of them as `default` or `nodes`. Inputs have the form of
 * `/object_info`: `text: ['STRING', { multiline: true }]`, `mode: [['fast', 'slow']]`, `image: ['IMAGE', { optional: true }]`.
 * Outputs are named by their types: `['IMAGE', 'STRING']`.
 */
export interface CustomNode extends Partial<Omit<AnyNode, 'inputs' | 'outputs'>> {
  name: string;
  inputs?: Record<string, readonly [string | readonly string[], (InputOptions & { optional?: boolean })?]>;
  outputs?: readonly (string | Output)[];
  run: AnyNode['run'];
}

/** The nodes that a module exports. Throws a `TypeError` that names the node and its fault. */
export function customNodesOf(module: Record<string, unknown>): AnyNode[] {
  const exported = module.default ?? module.nodes;
  const declarations = Array.isArray(exported) ? exported : [exported];
  return declarations.map(customNode);
}

function customNode(declaration: unknown): AnyNode {
  if (!isObject(declaration))
    throw new TypeError('it exports no node: "export default { name, inputs, outputs, run }"');
  const { name, run, inputs = {}, outputs = [], ...rest } = declaration as unknown as CustomNode;
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

function ownInput(node: string, key: string, declaration: unknown): Input<unknown, boolean> {
  const [type, options] = Array.isArray(declaration) ? declaration : [];
  const isChoice = Array.isArray(type) && type.every((option) => typeof option === 'string');
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

function ownOutput(node: string, declaration: unknown): Output {
  if (typeof declaration === 'string') return { type: declaration };
  if (isObject(declaration) && typeof declaration.type === 'string') return declaration as unknown as Output;
  throw new TypeError(`an output of node ${node} must be a type such as 'IMAGE', or { type, name }`);
}

/** Sorts inputs as clients and editors expect them. */
const requiredFirst = (inputs: [string, Input<unknown, boolean>][]) =>
  Object.fromEntries([...inputs].sort(([, a], [, b]) => Number(a.optional) - Number(b.optional)));

/**
 * Loads the nodes of the files that a setting names, separated by commas. A file that cannot be used is logged and
 * skipped. Never rejects.
 * @param setting undefined: no files
 * @param load imports the module with this name
 */
export async function importCustomNodes(
  setting: string | undefined,
  load: (name: string) => Promise<Record<string, unknown>>,
  log: Log,
): Promise<AnyNode[]> {
  const found: AnyNode[] = [];
  for (const name of (setting ?? '').split(',').map((part) => part.trim())) {
    if (name === '') continue;
    try {
      found.push(...customNodesOf(await load(name)));
    } catch (error) {
      log.error('a file of nodes cannot be used', { file: name, error: String(error) });
    }
  }
  return found;
}
