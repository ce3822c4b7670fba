import { PromptRefused } from '../errors.ts';
import { type CheckScope, checkNode, type NodeCheck } from './check-node.ts';
import type { PromptGraph, PromptNode, PromptNodeId } from './graph.ts';
import type { NodeErrors } from './input-error.ts';
import type { NodeTypes } from './node-types.ts';
import { callsPaidService } from './paid-services.ts';
import { walkSources } from './walk-sources.ts';

/** The output nodes of a graph that can run, and the errors of the others. */
export interface Validated {
  outputs: PromptNodeId[];
  nodeErrors: NodeErrors;
}

/**
 * Checks a graph before it runs: each output node with all of its sources. Converts the graph's literals in place.
 * @param targets only these output nodes; undefined: all
 * @throws `PromptRefused` when no output node can run
 */
export async function validate(
  graph: PromptGraph,
  types: NodeTypes,
  targets: readonly PromptNodeId[] | undefined,
  context: CheckScope['context'],
): Promise<Validated> {
  requireTypes(graph, types);
  const checks = new Map<PromptNodeId, NodeCheck>();
  const scope = { graph, types, checks, context };
  const validated: Validated = { outputs: [], nodeErrors: {} };
  const outputErrors: string[] = [];
  for (const output of requireOutputs(graph, types, targets)) {
    if (await checkWithSources(output.id, scope, checks)) {
      validated.outputs.push(output.id);
      continue;
    }
    for (const { message, details } of checks.get(output.id)?.errors ?? [])
      outputErrors.push(`${message}: ${details}`);
    reportErrors(validated.nodeErrors, output.id, scope);
  }
  if (validated.outputs.length === 0)
    throw new PromptRefused(
      'prompt_outputs_failed_validation',
      'Prompt outputs failed validation',
      outputErrors.join('\n'),
      validated.nodeErrors,
    );
  return validated;
}

const PAID =
  ': it sends its inputs to a paid service of another company, which no node here does. Replace it by nodes that run on this device, or remove it';

function requireTypes(graph: PromptGraph, types: NodeTypes): void {
  for (const { id, className } of graph.values()) {
    if (!types.has(className))
      throw new PromptRefused(
        'invalid_prompt',
        `Cannot execute because node ${className} does not exist.`,
        `Node ID '#${id}'${callsPaidService(className) ? PAID : ''}`,
      );
  }
}

function requireOutputs(
  graph: PromptGraph,
  types: NodeTypes,
  targets: readonly PromptNodeId[] | undefined,
): PromptNode[] {
  const outputs = [...graph.values()].filter(
    ({ id, className }) => types.get(className)!.isOutput && (!targets || targets.includes(id)),
  );
  if (outputs.length === 0) throw new PromptRefused('prompt_no_outputs', 'Prompt has no outputs');
  return outputs;
}

/** Checks the nodes that no earlier output node needed. An output on a cycle is invalid, without errors of single nodes. */
async function checkWithSources(
  output: PromptNodeId,
  scope: CheckScope,
  checks: Map<PromptNodeId, NodeCheck>,
): Promise<boolean> {
  const { order, consumers, isCyclic } = walkSources(scope.graph, [output]);
  if (isCyclic) return false;
  for (const id of order) {
    if (checks.has(id)) continue;
    checks.set(id, await checkNode(scope.graph.get(id)!, consumers.get(id), scope));
  }
  return checks.get(output)!.isValid;
}

/** Adds the output node to every node that has errors so far, as ComfyUI does. */
function reportErrors(nodeErrors: NodeErrors, output: PromptNodeId, { checks, graph }: CheckScope): void {
  for (const [id, { errors }] of checks) {
    if (errors.length === 0) continue;
    nodeErrors[id] ??= { errors, dependent_outputs: [], class_type: graph.get(id)!.className };
    nodeErrors[id].dependent_outputs.push(output);
  }
}
