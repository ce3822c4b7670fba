/** Runs a workflow that a node of another workflow calls. */
import { isObject } from '#core/base';
import {
  type JsonObject,
  type NodeOutput,
  type NodeSettings,
  nodeSettings,
  type RunState,
  readWorkflow,
  type Workflow,
  type WorkflowNode,
} from '#core/workflow-format';
import { NodeError } from '../node-api/node-error.ts';
import { commaList } from '../nodes/shared/comma-list.ts';
import { executeWorkflowTrigger } from '../nodes/triggers/execute-workflow-trigger.ts';
import type { Executions } from './executions/executions.ts';
import type { StartCall } from './executions/start-call.ts';
import type { SubWorkflowCall } from './run/run-services.ts';
import type { WorkflowStore } from './workflow-store.ts';

/** Ends circles of workflows that call one another. */
const MAX_DEPTH = 32;

/**
 * @returns the output of the node that ran last; the caller's items if it does not wait
 * @throws NodeError if the workflow does not exist, refuses the caller, or fails
 */
export async function callWorkflow(
  call: SubWorkflowCall,
  { executions, workflows }: { executions: Executions; workflows: WorkflowStore },
): Promise<NodeOutput> {
  const { caller, items, wait, signal } = call;
  if (caller.depth >= MAX_DEPTH) {
    throw new NodeError(`Workflows call one another more than ${MAX_DEPTH} deep`);
  }
  const workflow = await findWorkflow(call, workflows);
  const trigger = requireTrigger(workflow);
  requirePermission(workflow, caller.workflow.id);
  const started = { workflow, trigger, items, depth: caller.depth + 1 };
  if (wait) return runCalled(started, executions, signal);
  const handle = await executions.start(startCall(started));
  await handle.accepted;
  return [items];
}

/** A workflow that starts at its trigger for other workflows. */
interface CalledWorkflow {
  workflow: Workflow;
  trigger: WorkflowNode;
  items: SubWorkflowCall['items'];
  depth: number;
}

function startCall({ workflow, trigger, items, depth }: CalledWorkflow): StartCall {
  return {
    workflow,
    mode: 'integrated',
    node: trigger.name,
    output: [inputItems(items, trigger)],
    depth,
  };
}

/**
 * Runs a called workflow to its end.
 * @returns the output of the node that ran last
 * @throws NodeError if the workflow fails or is cancelled
 */
export async function runCalled(
  called: CalledWorkflow,
  executions: Executions,
  signal: AbortSignal,
): Promise<NodeOutput> {
  const { workflow } = called;
  const handle = await executions.start({ ...startCall(called), signal });
  const { status, error, state } = await handle.done;
  signal.throwIfAborted();
  if (status === 'error' || status === 'canceled') {
    throw new NodeError(error?.message ?? 'The workflow failed', {
      description: `It failed in the workflow "${workflow.name}"${error?.node ? `, node "${error.node}"` : ''}.`,
    });
  }
  return lastOutput(state);
}

async function findWorkflow(
  { target, caller }: SubWorkflowCall,
  workflows: WorkflowStore,
): Promise<Workflow> {
  if ('workflow' in target) return readWorkflow(target.workflow, { id: caller.workflow.id });
  const workflow = await workflows.get(target.id);
  if (workflow) return workflow;
  throw new NodeError(`The workflow with the ID "${target.id}" does not exist`, {
    description: 'Choose another workflow in the node.',
  });
}

/** The node at which a workflow starts for other workflows. */
export function calledTrigger({ nodes }: Workflow): WorkflowNode | undefined {
  return nodes.find(({ type, disabled }) => type === executeWorkflowTrigger.name && !disabled);
}

function requireTrigger(workflow: Workflow): WorkflowNode {
  const trigger = calledTrigger(workflow);
  if (trigger) return trigger;
  throw new NodeError('Missing node to start execution', {
    description: `Add an "Execute Workflow Trigger" to the workflow "${workflow.name}".`,
  });
}

/** A workflow may always call itself. */
function requirePermission({ id, name, settings }: Workflow, callerId: string): void {
  if (id === callerId || settings.callerPolicy === undefined) return;
  const isListed = commaList(settings.callerIds).includes(callerId);
  if (settings.callerPolicy === 'none' || (settings.callerPolicy === 'workflowsFromAList' && !isListed)) {
    throw new NodeError(`The workflow "${name}" (${id}) does not let this workflow call it`, {
      description: 'Change "This workflow can be called by" in the settings of the called workflow.',
    });
  }
}

/** The caller's items with the fields that the trigger declares: missing ones are null. */
function inputItems(items: SubWorkflowCall['items'], trigger: WorkflowNode): SubWorkflowCall['items'] {
  const fields = declaredFields(nodeSettings(executeWorkflowTrigger, trigger));
  const names = fields.map(({ name }) => name);
  const select = (json: JsonObject) =>
    names.length === 0 ? json : Object.fromEntries(names.map((name) => [name, json[name] ?? null]));
  return items.map(({ pairedItem: _caller, ...item }, index) => ({
    ...item,
    json: select(item.json),
    pairedItem: { item: index },
  }));
}

/** A field that a called workflow declares. `type` is n8n's: `string`, `number`, `any` … */
export interface DeclaredField {
  name: string;
  type: string;
}

/** The fields that the trigger declares. Empty: it accepts all fields. */
export function declaredFields({ get }: NodeSettings): DeclaredField[] {
  switch (get('inputSource')) {
    case 'workflowInputs': {
      const fields = get('workflowInputs.values');
      if (!Array.isArray(fields)) return [];
      return fields
        .map(({ name, type }: Record<string, unknown>) => ({
          name: String(name ?? ''),
          type: String(type ?? 'string'),
        }))
        .filter(({ name }) => name !== '');
    }
    case 'jsonExample':
      try {
        const example: unknown = JSON.parse(String(get('jsonExample')));
        if (!isObject(example)) return [];
        return Object.entries(example).map(([name, value]) => ({
          name,
          type: Array.isArray(value) ? 'array' : value === null ? 'any' : typeof value,
        }));
      } catch (cause) {
        throw new NodeError('The JSON example of the called workflow is not valid JSON', { cause });
      }
    default:
      return [];
  }
}

/** The output without paired items, because these refer to nodes of the called workflow. */
function lastOutput({ lastNode, runData }: RunState): NodeOutput {
  const task = lastNode === undefined ? undefined : runData[lastNode]?.at(-1);
  return (task?.data?.main ?? [[]]).map(
    (items) => items?.map(({ pairedItem: _inner, ...item }) => item) ?? null,
  );
}
