import { errorMessage } from '#core/base';
import { inputConfig } from '../nodes/kernel/describe.ts';
import type { NodeContext } from '../nodes/kernel/node-context.ts';
import type { AnyNode } from '../nodes/kernel/node-type.ts';
import { toInputValue } from '../python/node-values.ts';
import { checkLink } from './check-link.ts';
import { checkLiteral } from './check-literal.ts';
import { asLink, inputsOf, type PromptGraph, type PromptNode, type PromptNodeId } from './graph.ts';
import { type InputError, PythonException, toPrintable } from './input-error.ts';
import type { NodeTypes } from './node-types.ts';
import type { Consumer } from './walk-sources.ts';

export interface NodeCheck {
  errors: InputError[];
  /** The node and all of its sources are without errors. */
  isValid: boolean;
}

/** Everything that the check of a node may look up. */
export interface CheckScope {
  graph: PromptGraph;
  types: NodeTypes;
  /** The results for the nodes that were checked before, all sources among them. */
  checks: ReadonlyMap<PromptNodeId, NodeCheck>;
  context: Pick<NodeContext, 'files' | 'host'>;
}

/**
 * Checks the inputs of one node: links, types, ranges, choices and the node's own rules. Converts its literals in place.
 * @param consumer the link by which the node was reached; exceptions are reported with it
 */
export async function checkNode(
  node: PromptNode,
  consumer: Consumer | undefined,
  scope: CheckScope,
): Promise<NodeCheck> {
  const type = scope.types.get(node.className)!;
  try {
    const { errors, areSourcesValid } = await checkInputs(node, type, scope);
    if (errors.length === 0) errors.push(...(await ownErrors(type, node, scope)));
    return { errors, isValid: areSourcesValid && errors.length === 0 };
  } catch (error) {
    const exception =
      error instanceof PythonException ? error : new PythonException('Exception', errorMessage(error));
    return { errors: [await exceptionError(exception, consumer, scope)], isValid: false };
  }
}

async function checkInputs(node: PromptNode, type: AnyNode, { graph, types, checks, context }: CheckScope) {
  if (!node.inputs) throw new PythonException('KeyError', "'inputs'");
  const errors: InputError[] = [];
  let areSourcesValid = true;
  for (const [name, input] of Object.entries(inputsOf(node, type))) {
    const value = node.inputs.get(name);
    const checked = { type, name, input };
    let error: InputError | undefined;
    if (value === undefined) error = input.optional ? undefined : missingInput(name);
    else if (Array.isArray(value)) {
      error = await checkLink(checked, value, graph, types, context.files);
      if (!error) areSourcesValid &&= checks.get(asLink(value)!.node)?.isValid ?? false;
    } else error = await checkLiteral(checked, node.inputs, context.files);
    if (error) errors.push(error);
  }
  return { errors, areSourcesValid };
}

/** The node's own validator sees the inputs that are literals. It does not run when there are none. */
async function ownErrors(type: AnyNode, node: PromptNode, { context }: CheckScope): Promise<InputError[]> {
  if (!type.validate) return [];
  const literals: Record<string, unknown> = {};
  const inputs = inputsOf(node, type);
  for (const name of type.validate.inputs) {
    const value = node.inputs?.get(name);
    if (value === undefined || Array.isArray(value)) continue;
    literals[name] = toInputValue(inputs[name], value);
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

async function exceptionError(
  { kind, message }: PythonException,
  consumer: Consumer | undefined,
  { types, context }: CheckScope,
): Promise<InputError> {
  if (!consumer)
    return {
      type: 'exception_during_validation',
      message: 'Exception when validating node',
      details: message,
      extra_info: { exception_type: kind, traceback: [] },
    };
  const type = types.get(consumer.node.className)!;
  const input = inputsOf(consumer.node, type)[consumer.input];
  return {
    type: 'exception_during_inner_validation',
    message: 'Exception when validating inner node',
    details: message,
    extra_info: {
      input_name: consumer.input,
      input_config: input ? await inputConfig(type, input, context.files) : null,
      exception_message: message,
      exception_type: kind,
      traceback: [],
      linked_node: toPrintable(consumer.node.inputs!.get(consumer.input)!),
    },
  };
}

function missingInput(name: string): InputError {
  return {
    type: 'required_input_missing',
    message: 'Required input is missing',
    details: name,
    extra_info: { input_name: name },
  };
}
