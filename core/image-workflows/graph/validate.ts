/** Checks a graph before it runs: links, types, ranges, choices. Literals are converted in place. */

import type { WorkflowFiles } from '../files/workflow-files.ts';
import { choicesOf, inputConfig } from '../nodes/kernel/describe.ts';
import type { Input } from '../nodes/kernel/inputs.ts';
import type { NodeContext } from '../nodes/kernel/node-context.ts';
import type { AnyNode, Inputs } from '../nodes/kernel/node-type.ts';
import { ConversionError, convertLiteral, pythonNumber } from '../python/convert-literal.ts';
import { toInputValue } from '../python/node-values.ts';
import { PythonFloat } from '../python/python-json.ts';
import { isPythonObject, type PythonValue, pythonRepr, pythonStr } from '../python/python-value.ts';
import { asLink, type Graph, type GraphNode, linksOf, type NodeId, PromptRefused } from './graph.ts';
import { typesMatch } from './types-match.ts';

export type NodeTypes = ReadonlyMap<string, AnyNode>;
type CheckContext = Pick<NodeContext, 'files' | 'host'>;

export interface InputError {
  type: string;
  message: string;
  details: string;
  extra_info: Record<string, unknown>;
}

export interface NodeErrors {
  [id: NodeId]: { errors: InputError[]; dependent_outputs: NodeId[]; class_type: string };
}

export interface Validated {
  /** Output nodes that will run. */
  outputs: NodeId[];
  /** Of the outputs that will not. */
  nodeErrors: NodeErrors;
}

/** A fault of a node that stops looking at it; Python's exceptions, by their names. */
class Fault extends Error {
  constructor(
    readonly kind: string,
    message: string,
  ) {
    super(message);
  }
}

interface Verdict {
  errors: InputError[];
  ok: boolean;
}

/**
 * Throws `PromptRefused` when nothing of the graph can run.
 * @param targets only these outputs
 */
export async function validate(
  graph: Graph,
  types: NodeTypes,
  targets: readonly NodeId[] | undefined,
  context: CheckContext,
): Promise<Validated> {
  for (const { id, className } of graph.values()) {
    if (!types.has(className))
      throw new PromptRefused(
        'invalid_prompt',
        `Cannot execute because node ${className} does not exist.`,
        `Node ID '#${id}'`,
      );
  }
  const wanted = [...graph.values()].filter(
    ({ id, className }) => types.get(className)!.isOutput && (!targets || targets.includes(id)),
  );
  if (wanted.length === 0) throw new PromptRefused('prompt_no_outputs', 'Prompt has no outputs');

  const verdicts = new Map<NodeId, Verdict>();
  const outputs: NodeId[] = [];
  const nodeErrors: NodeErrors = {};
  const own: InputError[] = [];
  for (const output of wanted) {
    const { order, consumers, isCyclic } = dependencies(graph, output.id);
    for (const id of order) {
      if (verdicts.has(id)) continue;
      verdicts.set(id, await checkNode(graph.get(id)!, graph, types, verdicts, consumers.get(id), context));
    }
    if (!isCyclic && verdicts.get(output.id)!.ok) {
      outputs.push(output.id);
      continue;
    }
    own.push(...(verdicts.get(output.id)?.errors ?? []));
    for (const [id, { errors }] of verdicts) {
      if (errors.length === 0) continue;
      nodeErrors[id] ??= { errors, dependent_outputs: [], class_type: graph.get(id)!.className };
      nodeErrors[id].dependent_outputs.push(output.id);
    }
  }
  if (outputs.length === 0)
    throw new PromptRefused(
      'prompt_outputs_failed_validation',
      'Prompt outputs failed validation',
      own.map(({ message, details }) => `${message}: ${details}`).join('\n'),
      nodeErrors,
    );
  return { outputs, nodeErrors };
}

interface Consumer {
  node: GraphNode;
  input: string;
}

/** What a node is made from, sources first. Iterative: a chain of 100,000 nodes must not fill the stack. */
function dependencies(graph: Graph, start: NodeId) {
  const order: NodeId[] = [];
  const consumers = new Map<NodeId, Consumer>();
  const state = new Map<NodeId, 'open' | 'done'>([[start, 'open']]);
  const stack = [{ id: start, links: linksOf(graph.get(start)!), at: 0 }];
  let isCyclic = false;
  while (stack.length > 0) {
    const top = stack.at(-1)!;
    const next = top.links[top.at++];
    if (!next) {
      stack.pop();
      state.set(top.id, 'done');
      order.push(top.id);
      continue;
    }
    const [input, { node }] = next;
    if (state.get(node) === 'open') isCyclic = true;
    const source = graph.get(node);
    if (!source || state.has(node)) continue;
    state.set(node, 'open');
    consumers.set(node, { node: graph.get(top.id)!, input });
    stack.push({ id: node, links: linksOf(source), at: 0 });
  }
  return { order: isCyclic ? [] : order, consumers, isCyclic };
}

async function checkNode(
  node: GraphNode,
  graph: Graph,
  types: NodeTypes,
  verdicts: ReadonlyMap<NodeId, Verdict>,
  consumer: Consumer | undefined,
  context: CheckContext,
): Promise<Verdict> {
  const type = types.get(node.className)!;
  const errors: InputError[] = [];
  let sourcesOk = true;
  try {
    if (!node.inputs) throw new Fault('KeyError', "'inputs'");
    for (const [name, input] of Object.entries(type.inputs as Inputs)) {
      const value = node.inputs.get(name);
      if (value === undefined) {
        if (!input.optional) errors.push(missing(name));
      } else if (Array.isArray(value)) {
        const error = await checkLink(type, name, input, value, graph, types, context.files);
        if (error) errors.push(error);
        else sourcesOk &&= verdicts.get(asLink(value)!.node)?.ok ?? false;
      } else {
        const error = await checkLiteral(type, name, input, node.inputs, context.files);
        if (error) errors.push(error);
      }
    }
    errors.push(...(await ownChecks(type, node, errors, context)));
    return { errors, ok: sourcesOk && errors.length === 0 };
  } catch (error) {
    const fault = error instanceof Fault ? error : new Fault('Exception', (error as Error).message);
    return { errors: [await exception(fault, types, consumer, context.files)], ok: false };
  }
}

async function checkLink(
  type: AnyNode,
  name: string,
  input: Input<unknown, boolean>,
  value: PythonValue[],
  graph: Graph,
  types: NodeTypes,
  files: WorkflowFiles,
): Promise<InputError | undefined> {
  const config = () => inputConfig(type, input, files);
  if (value.length !== 2)
    return {
      type: 'bad_linked_input',
      message: 'Bad linked input, must be a length-2 list of [node_id, slot_index]',
      details: name,
      extra_info: { input_name: name, input_config: await config(), received_value: shown(value) },
    };
  const [id, slot] = value as [PythonValue, PythonValue];
  const source = typeof id === 'string' ? graph.get(id) : undefined;
  if (!source) {
    if (isPythonObject(id) || Array.isArray(id))
      throw new Fault('TypeError', `unhashable type: '${isPythonObject(id) ? 'dict' : 'list'}'`);
    throw new Fault('KeyError', pythonRepr(id));
  }
  const received = outputType(types.get(source.className)!, slot);
  const wanted = (await choicesOf(input, files)) ?? (input.type as string);
  const isModernChoice = type.modern && typeof input.type !== 'string';
  if (typesMatch(received, isModernChoice ? 'COMBO' : wanted)) return undefined;
  return {
    type: 'return_type_mismatch',
    message: 'Return type mismatch between linked nodes',
    details: `${name}, received_type(${typeText(received)}) mismatch input_type(${typeText(wanted)})`,
    extra_info: {
      input_name: name,
      input_config: await config(),
      received_type: received,
      linked_node: shown(value),
    },
  };
}

function outputType(type: AnyNode, slot: PythonValue): string | readonly string[] {
  if (typeof slot !== 'bigint') {
    const kind =
      slot === null
        ? 'NoneType'
        : Array.isArray(slot)
          ? 'list'
          : isPythonObject(slot)
            ? 'dict'
            : typeof slot === 'number'
              ? 'float'
              : 'str';
    throw new Fault('TypeError', `tuple indices must be integers or slices, not ${kind}`);
  }
  const output = type.outputs.at(Number(slot));
  if (!output) throw new Fault('IndexError', 'tuple index out of range');
  return output.type;
}

async function checkLiteral(
  type: AnyNode,
  name: string,
  input: Input<unknown, boolean>,
  inputs: Map<string, PythonValue>,
  files: WorkflowFiles,
): Promise<InputError | undefined> {
  let value: PythonValue = inputs.get(name) ?? null;
  if (isPythonObject(value) && value.has('__value__')) {
    value = value.get('__value__') ?? null;
    inputs.set(name, value);
  }
  const error = async (
    kind: string,
    message: string,
    details: string,
    extra: Record<string, unknown> = {},
    config?: null,
  ) => ({
    type: kind,
    message,
    details,
    extra_info: {
      input_name: name,
      input_config: config === null ? null : await inputConfig(type, input, files),
      received_value: shown(value),
      ...extra,
    },
  });
  if (typeof input.type === 'string') {
    try {
      value = convertLiteral(input.type, value);
    } catch (cause) {
      if (!(cause instanceof ConversionError)) throw cause;
      return error(
        'invalid_input_type',
        `Failed to convert an input value to a ${input.type} value`,
        `${name}, ${pythonStr(value)}, ${cause.message}`,
        { exception_message: cause.message },
      );
    }
    inputs.set(name, value);
  }
  if (type.validate?.inputs.includes(name)) return undefined;
  if (typeof value === 'bigint' || typeof value === 'number') {
    const { min, max } = input.options ?? {};
    const bound = (limit: number | bigint) =>
      input.type === 'FLOAT' ? pythonNumber(Number(limit)) : pythonNumber(BigInt(limit));
    if (min !== undefined && value < min)
      return error(
        'value_smaller_than_min',
        `Value ${pythonNumber(value)} smaller than min of ${bound(min)}`,
        name,
      );
    if (max !== undefined && value > max)
      return error(
        'value_bigger_than_max',
        `Value ${pythonNumber(value)} bigger than max of ${bound(max)}`,
        name,
      );
  }
  if (type.modern) return undefined;
  const choices = await choicesOf(input, files);
  if (!choices || (typeof value === 'string' && choices.includes(value))) return undefined;
  const isLong = choices.length > 20;
  const list = isLong ? `(list of length ${choices.length})` : pythonRepr([...choices]);
  return error(
    'value_not_in_list',
    'Value not in list',
    `${name}: '${pythonStr(value)}' not in ${list}`,
    {},
    isLong ? null : undefined,
  );
}

/** The node's own validator, for the inputs that came as values. */
async function ownChecks(
  type: AnyNode,
  node: GraphNode,
  found: readonly InputError[],
  context: CheckContext,
): Promise<InputError[]> {
  if (!type.validate || found.length > 0) return [];
  const literals: Record<string, unknown> = {};
  for (const name of type.validate.inputs) {
    const value = node.inputs?.get(name);
    if (value === undefined || Array.isArray(value)) continue;
    literals[name] = toInputValue(type.inputs[name], value);
  }
  if (Object.keys(literals).length === 0) return [];
  const verdict = await type.validate.check(literals, context);
  if (verdict === true) return [];
  return Object.keys(literals).map((name) => ({
    type: 'custom_validation_failed',
    message: 'Custom validation failed for node',
    details: `${name} - ${verdict}`,
    extra_info: { input_name: name },
  }));
}

async function exception(
  { kind, message }: Fault,
  types: NodeTypes,
  consumer: Consumer | undefined,
  files: WorkflowFiles,
): Promise<InputError> {
  if (!consumer)
    return {
      type: 'exception_during_validation',
      message: 'Exception when validating node',
      details: message,
      extra_info: { exception_type: kind, traceback: [] },
    };
  const type = types.get(consumer.node.className)!;
  return {
    type: 'exception_during_inner_validation',
    message: 'Exception when validating inner node',
    details: message,
    extra_info: {
      input_name: consumer.input,
      input_config: type.inputs[consumer.input]
        ? await inputConfig(type, type.inputs[consumer.input], files)
        : null,
      exception_message: message,
      exception_type: kind,
      traceback: [],
      linked_node: shown(consumer.node.inputs!.get(consumer.input)!),
    },
  };
}

function missing(name: string): InputError {
  return {
    type: 'required_input_missing',
    message: 'Required input is missing',
    details: name,
    extra_info: { input_name: name },
  };
}

const typeText = (type: string | readonly string[]) =>
  typeof type === 'string' ? type : pythonRepr([...type]);

/** A value of the graph, to be printed in an answer. */
function shown(value: PythonValue): unknown {
  if (typeof value === 'number') return new PythonFloat(value);
  if (Array.isArray(value)) return value.map(shown);
  return isPythonObject(value) ? new Map([...value].map(([key, member]) => [key, shown(member)])) : value;
}
