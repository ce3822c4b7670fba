/** Evaluates expressions for the editor, with the data of an earlier execution. */
import { errorMessage, isObject } from '#core/base';
import { ApiError, jsonResponse, type RouteCall } from '#core/http';
import {
  type InputSource,
  type Item,
  type RunData,
  readWorkflow,
  type TaskData,
  type Workflow,
  WorkflowGraph,
} from '#core/workflow-format';
import { expressionScope } from '../engine/run/expression-scope.ts';
import { NodeError } from '../node-api/node-error.ts';
import type { WebhookServices } from '../services.ts';
import { readJsonObject } from './request-body.ts';

/** Values in one request. */
const MAX_VALUES = 200;

interface PreviewRequest {
  workflow: Workflow;
  node: string;
  /** Stored values by any name. */
  values: Record<string, unknown>;
  /** The execution whose items the expressions see. Without it, they see only pinned items. */
  executionId: string | undefined;
  itemIndex: number;
}

/** Evaluates expressions. Answers either `{ value }` or `{ error, description? }` for each of `values`. */
export async function previewExpressions({ engine }: WebhookServices, call: RouteCall): Promise<Response> {
  const { workflow, node: name, values, executionId, itemIndex } = readRequest(await readJsonObject(call));
  const graph = new WorkflowGraph(workflow);
  const node = graph.node(name);
  if (!node) throw new ApiError(400, `The workflow has no node called "${name}"`);
  const found = executionId === undefined ? undefined : await engine.executions.get(executionId);
  const runData = { ...pinnedRuns(workflow), ...found?.detail?.data.resultData.runData };
  const { services } = engine;
  const scope = expressionScope(
    {
      workflow,
      node,
      findNode: (other) => graph.node(other),
      executionId: executionId ?? '',
      mode: 'manual',
      test: true,
      ...nodeInputs(graph, runData, name),
      runData,
      signal: call.signal,
    },
    services,
  );
  const data: Record<string, object> = {};
  for (const [key, value] of Object.entries(values)) {
    try {
      data[key] = { value: (await services.expressions.evaluate(value, scope, itemIndex)) ?? null };
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof NodeError)) throw error;
      const { description } = error;
      data[key] = { error: errorMessage(error), ...(description && { description }) };
    }
  }
  return jsonResponse({ data });
}

/** @throws ApiError 400 */
function readRequest(body: Record<string, unknown>): PreviewRequest {
  const { workflow, node, values, executionId, itemIndex = 0 } = body;
  if (typeof node !== 'string') throw new ApiError(400, 'request/body/node must be string');
  if (!isObject(values)) throw new ApiError(400, 'request/body/values must be object');
  if (Object.keys(values).length > MAX_VALUES) {
    throw new ApiError(400, `request/body/values: ${MAX_VALUES} at most`);
  }
  if (!Number.isInteger(itemIndex) || (itemIndex as number) < 0) {
    throw new ApiError(400, 'request/body/itemIndex must be integer >= 0');
  }
  if (executionId !== undefined && typeof executionId !== 'string') {
    throw new ApiError(400, 'request/body/executionId must be string');
  }
  return { workflow: readWorkflow(workflow), node, values, executionId, itemIndex: itemIndex as number };
}

/** The pinned items of each node, as if the node had run. */
function pinnedRuns({ pinData }: Workflow): RunData {
  return Object.fromEntries(Object.entries(pinData).map(([name, items]) => [name, [taskWith(items)]]));
}

function taskWith(items: Item[]): TaskData {
  return {
    startTime: 0,
    executionIndex: 0,
    source: [],
    hints: [],
    executionTime: 0,
    executionStatus: 'success',
    data: { main: [items] },
  };
}

interface NodeInputs {
  inputs: (Item[] | null)[];
  sources: (InputSource | null)[];
}

/** The items that the nodes before this one gave last. A trigger sees the items that it was called with. */
function nodeInputs(graph: WorkflowGraph, runData: RunData, name: string): NodeInputs {
  const sources: (InputSource | null)[] = [];
  for (const { source, output, input } of graph.incoming(name)) {
    const runs = runData[source];
    if (sources[input] || !runs?.some(({ data }) => data?.main?.[output]?.length)) continue;
    sources[input] = {
      previousNode: source,
      previousNodeOutput: output,
      previousNodeRun: runs.findLastIndex(({ data }) => data?.main?.[output]?.length),
    };
  }
  if (sources.length === 0) {
    const own = runData[name]?.at(-1)?.data?.main?.find((items) => items?.length);
    return { inputs: [own ?? [{ json: {} }]], sources: [null] };
  }
  // The list may have holes: inputs that are not connected, or whose node gave nothing.
  const filled = Array.from(sources, (source) => source ?? null);
  return { inputs: filled.map((source) => itemsFrom(source, runData)), sources: filled };
}

function itemsFrom(source: InputSource | null, runData: RunData): Item[] | null {
  if (!source) return null;
  const { previousNode, previousNodeRun = 0, previousNodeOutput = 0 } = source;
  return runData[previousNode]?.[previousNodeRun]?.data?.main?.[previousNodeOutput] ?? null;
}
