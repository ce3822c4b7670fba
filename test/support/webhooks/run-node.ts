/** Runs a node on items, in a small workflow. */
import type { Engine } from '#core/webhooks/engine/engine.ts';
import type { Item, JsonObject, WorkflowNode } from '#core/workflow-format';
import { workflowOf } from './workflow-builder.ts';

export interface NodeRunSummary {
  status: string;
  /** The json of the items of each output. Null: the output got no items. */
  outputs: (JsonObject[] | null)[];
  items: (Item[] | null)[];
  error?: { message: string; description?: string | null };
}

export async function runWebhookNode(
  engine: Engine,
  node: Partial<WorkflowNode> & { type: string },
  input: JsonObject[] | Item[] = [{}],
  more: { test?: boolean; signal?: AbortSignal; settings?: Record<string, unknown> } = {},
): Promise<NodeRunSummary> {
  const items = input.map((element, item) => ({
    ...('json' in element ? (element as Item) : { json: element as JsonObject }),
    pairedItem: { item },
  }));
  const workflow = workflowOf({ Start: { type: 'manualTrigger' }, Node: node }, ['Start -> Node'], {
    settings: { executionOrder: 'v1', ...more.settings },
  });
  const handle = await engine.executions.start({
    workflow,
    mode: 'trigger',
    node: 'Start',
    output: [items],
    ...(more.test && { test: true }),
    ...(more.signal && { signal: more.signal }),
  });
  const { status, state } = await handle.done;
  const task = state.runData.Node?.at(-1);
  const main = task?.data?.main ?? [];
  return {
    status: task?.executionStatus ?? status,
    items: main,
    outputs: main.map((list) => list?.map(({ json }) => json) ?? null),
    ...(task?.error && { error: task.error }),
  };
}

/** Like `runWebhookNode`, but returns the json of the first output's items, or the message of the node's error. */
export async function runFirstOutput(
  engine: Engine,
  node: Partial<WorkflowNode> & { type: string },
  input: JsonObject[] | Item[] = [{}],
): Promise<JsonObject[] | { error: string } | null> {
  const { outputs, error } = await runWebhookNode(engine, node, input);
  return error ? { error: error.message } : (outputs[0] ?? null);
}
