/** A workflow called by a node of another. */
import type { Executions } from './executions/executions.ts';
import type { SubWorkflowCall } from './run/services.ts';
import { NodeError } from './workflow/node-error.ts';
import { readWorkflow } from './workflow/read.ts';
import type { NodeOutput, Workflow } from './workflow/types.ts';
import type { WorkflowStore } from './workflows/store.ts';

const TRIGGER = 'n8n-nodes-base.executeWorkflowTrigger';
/** Workflows that call one another in a circle would not end by themselves. */
const DEEPEST = 32;

/** The output of the node that ran last; nothing when its end is not awaited. */
export async function callWorkflow(
  call: SubWorkflowCall,
  parts: { executions: Executions; workflows: WorkflowStore },
): Promise<NodeOutput> {
  if (call.caller.depth >= DEEPEST)
    throw new NodeError(`Workflows call one another more than ${DEEPEST} deep`);
  const workflow = await workflowOf(call, parts.workflows);
  const trigger = workflow.nodes.find(({ type, disabled }) => type === TRIGGER && !disabled);
  if (!trigger) {
    throw new NodeError('Missing node to start execution', {
      description: `Add an "Execute Workflow Trigger" to the workflow "${workflow.name}".`,
    });
  }
  const items = call.items.map(({ pairedItem: _caller, ...item }, index) => ({
    ...item,
    pairedItem: { item: index },
  }));
  const handle = await parts.executions.start({
    workflow,
    mode: 'integrated',
    node: trigger.name,
    output: [items],
    depth: call.caller.depth + 1,
    ...(call.wait && { signal: call.signal }),
  });
  if (!call.wait) {
    await handle.accepted;
    return [call.items];
  }
  const { status, error, state } = await handle.done;
  call.signal.throwIfAborted();
  if (status === 'error' || status === 'canceled') {
    throw new NodeError(error?.message ?? 'The workflow failed', {
      description: `It failed in the workflow "${workflow.name}"${error?.node ? `, node "${error.node}"` : ''}.`,
    });
  }
  const last = state.lastNode === undefined ? undefined : state.runData[state.lastNode]?.at(-1);
  // Whose item was made of which is known inside of that workflow only.
  return (last?.data?.main ?? [[]]).map(
    (list) => list?.map(({ pairedItem: _inner, ...item }) => item) ?? null,
  );
}

async function workflowOf({ target, caller }: SubWorkflowCall, workflows: WorkflowStore): Promise<Workflow> {
  if ('workflow' in target) {
    return readWorkflow(target.workflow, { id: caller.workflow.id });
  }
  const found = await workflows.get(target.id);
  if (found) return found;
  throw new NodeError(`The workflow with the ID "${target.id}" does not exist`, {
    description: 'Choose another workflow in the node.',
  });
}
