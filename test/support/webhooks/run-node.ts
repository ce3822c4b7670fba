/** Runs one node on items, as part of a small workflow. */
import type { Engine } from '#core/webhooks/engine/engine.ts';
import type { Item, JsonObject, WorkflowNode } from '#core/workflow-format';
import { workflowOf } from './workflow-builder.ts';

export interface NodeRun {
  status: string;
  /** For each output the json of its items; null = nothing was sent there. */
  outputs: (JsonObject[] | null)[];
  items: (Item[] | null)[];
  error?: { message: string; description?: string | null };
}

export async function runNode(
  engine: Engine,
  node: Partial<WorkflowNode> & { type: string },
  input: JsonObject[] | Item[] = [{}],
  more: { test?: boolean; signal?: AbortSignal; settings?: Record<string, unknown> } = {},
): Promise<NodeRun> {
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

/** As `runNode`, with the first output alone: the json of its items, or the message of the node's error. */
export async function runFirstOutput(
  engine: Engine,
  node: Partial<WorkflowNode> & { type: string },
  input: JsonObject[] | Item[] = [{}],
): Promise<JsonObject[] | { error: string } | null> {
  const { outputs, error } = await runNode(engine, node, input);
  return error ? { error: error.message } : (outputs[0] ?? null);
}
