/** What is set on the node that is called, before any run is there. */

import {
  filledParameters,
  type Item,
  type NodeSettings,
  nodeSettings,
  type WorkflowNode,
  workflowTimezone,
} from '#core/workflow-format';
import type { RunServices } from '../engine/run/run-services.ts';
import type { ExpressionScope } from '../expressions/expressions.ts';
import type { WebhookCall } from './webhook-call.ts';

const known = new WeakMap<WorkflowNode, NodeSettings>();

/** Literal parameters with the defaults of the node's version. */
export function settingsOf(node: WorkflowNode, services: Pick<RunServices, 'nodeType'>): NodeSettings {
  let settings = known.get(node);
  if (!settings) {
    settings = nodeSettings(services.nodeType(node.type), node);
    known.set(node, settings);
  }
  return settings;
}

/** What an expression of the node sees beside the workflow. */
export interface Seen {
  item?: Item;
  executionId?: string;
  signal: AbortSignal;
}

/** A parameter of the node: `options.ipWhitelist`. */
export async function parameterOf(
  call: Omit<WebhookCall, 'request'>,
  path: string,
  services: RunServices,
  { item, executionId = '', signal }: Seen,
): Promise<unknown> {
  const value = settingsOf(call.node, services).get(path);
  if (value === undefined || value === '') return value;
  const scope = callScope(call, services, item, executionId, signal);
  return services.expressions.evaluate(value, scope, 0);
}

function callScope(
  { workflow, node, test }: Omit<WebhookCall, 'request'>,
  services: RunServices,
  item: Item | undefined,
  executionId: string,
  signal: AbortSignal,
): ExpressionScope {
  const parametersOf = (name: string) => {
    const named = workflow.nodes.find((one) => one.name === name);
    return named && filledParameters(services.nodeType(named.type), named);
  };
  return {
    node,
    get parameters() {
      return parametersOf(node.name) ?? {};
    },
    workflow: { id: workflow.id, name: workflow.name, active: workflow.active },
    execution: {
      id: executionId,
      mode: test ? 'test' : 'production',
      get resumeUrl() {
        return executionId === '' ? '' : services.resumeUrl(executionId);
      },
      get resumeFormUrl() {
        return this.resumeUrl.replace('/webhook-waiting/', '/form-waiting/');
      },
      customData: {},
    },
    mode: test ? 'manual' : 'webhook',
    inputs: item ? [[item]] : [],
    sources: [],
    runIndex: 0,
    runData: {},
    memory: {},
    parametersOf,
    variables: {},
    timezone: workflowTimezone(workflow, services.timezone),
    now: () => services.host.clock.now(),
    signal,
  };
}
