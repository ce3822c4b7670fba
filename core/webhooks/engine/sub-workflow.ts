/** A workflow called by a node of another. */

import { isObject } from '#core/base';
import {
  type JsonObject,
  type NodeOutput,
  type NodeSettings,
  nodeSettings,
  readWorkflow,
  type Workflow,
  type WorkflowNode,
} from '#core/workflow-format';
import { NodeError } from '../node-api/node-error.ts';
import { commaList } from '../nodes/shared/comma-list.ts';
import { executeWorkflowTrigger } from '../nodes/triggers/execute-workflow-trigger.ts';
import type { Executions } from './executions/executions.ts';
import type { SubWorkflowCall } from './run/run-services.ts';
import type { WorkflowStore } from './workflow-store.ts';

const TRIGGER = executeWorkflowTrigger.name;
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
  checkCaller(workflow, call.caller.workflow.id);
  const shape = inputShape(trigger);
  const items = call.items.map(({ pairedItem: _caller, ...item }, index) => ({
    ...item,
    json: shape(item.json),
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

/** Whether the called workflow lets itself be called by this one. */
function checkCaller({ id, name, settings }: Workflow, caller: string): void {
  if (id === caller || settings.callerPolicy === undefined) return;
  const listed = commaList(settings.callerIds).includes(caller);
  if (settings.callerPolicy === 'none' || (settings.callerPolicy === 'workflowsFromAList' && !listed)) {
    throw new NodeError(`The workflow "${name}" (${id}) does not let this workflow call it`, {
      description: 'Change "This workflow can be called by" in the settings of the called workflow.',
    });
  }
}

/** The fields that the trigger asks for, in its order; null where the caller gives none. All fields where it asks for none. */
function inputShape(trigger: WorkflowNode): (json: JsonObject) => JsonObject {
  const settings = nodeSettings(executeWorkflowTrigger, trigger);
  const names = askedFor(settings);
  if (names.length === 0) return (json) => json;
  return (json) => Object.fromEntries(names.map((name) => [name, json[name] ?? null]));
}

function askedFor({ get }: NodeSettings): string[] {
  switch (get('inputSource')) {
    case 'workflowInputs': {
      const values = get('workflowInputs.values');
      if (!Array.isArray(values)) return [];
      return values.map((one: { name?: unknown }) => String(one.name ?? '')).filter((name) => name !== '');
    }
    case 'jsonExample':
      try {
        const example: unknown = JSON.parse(String(get('jsonExample')));
        return isObject(example) ? Object.keys(example) : [];
      } catch (cause) {
        throw new NodeError('The JSON example of the called workflow is not valid JSON', { cause });
      }
    default:
      return [];
  }
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
