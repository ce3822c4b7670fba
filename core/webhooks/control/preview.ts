/** What expressions would be worth, for the editor: with the data of a run that there was. */

import { errorMessage, isObject } from '#core/base';
import { ApiError } from '#core/http';
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
import type { ControlCall } from './call.ts';

/** More cannot be looked at in one form. */
const MOST = 200;

/**
 * Of a body `{ workflow, node, values, executionId?, itemIndex? }`: for each of `values` (name to stored text, with its
 * `=`) either `{ value }` or `{ error, description? }`. The workflow is as it stands in the editor; without an
 * execution only pinned data is there.
 */
export async function previewExpressions(call: ControlCall): Promise<object> {
  const { workflow: given, node: name, values, executionId, itemIndex = 0 } = await call.body();
  if (typeof name !== 'string') throw new ApiError(400, 'request/body/node must be string');
  if (!isObject(values)) throw new ApiError(400, 'request/body/values must be object');
  if (Object.keys(values).length > MOST) throw new ApiError(400, `request/body/values: ${MOST} at most`);
  if (!Number.isInteger(itemIndex) || (itemIndex as number) < 0) {
    throw new ApiError(400, 'request/body/itemIndex must be integer >= 0');
  }
  if (executionId !== undefined && typeof executionId !== 'string') {
    throw new ApiError(400, 'request/body/executionId must be string');
  }
  const workflow = readWorkflow(given);
  const graph = new WorkflowGraph(workflow);
  const node = graph.node(name);
  if (!node) throw new ApiError(400, `The workflow has no node called "${name}"`);
  const { services } = call.engine;
  const runData = await dataOf(call, workflow, executionId);
  const { inputs, sources } = inputsOf(graph, runData, name);
  const scope = expressionScope(
    {
      workflow,
      node,
      findNode: (other) => graph.node(other),
      executionId: executionId ?? '',
      mode: 'manual',
      test: true,
      inputs,
      sources,
      runData,
      signal: call.signal,
    },
    services,
  );
  const told: Record<string, object> = {};
  for (const [key, value] of Object.entries(values)) {
    try {
      const found = await services.expressions.evaluate(value, scope, itemIndex as number);
      told[key] = { value: found === undefined ? null : found };
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof NodeError)) throw error;
      told[key] = {
        error: errorMessage(error),
        ...(error.description && { description: error.description }),
      };
    }
  }
  return { data: told };
}

/** What each node gave in that run; pinned data where a node did not run in it. */
async function dataOf(
  { engine }: ControlCall,
  { pinData }: Workflow,
  executionId: string | undefined,
): Promise<RunData> {
  const found = executionId === undefined ? undefined : await engine.executions.get(executionId);
  const pinned: RunData = {};
  for (const [name, items] of Object.entries(pinData)) pinned[name] = [taskOf(items)];
  return { ...pinned, ...found?.detail?.data.resultData.runData };
}

function taskOf(items: Item[]): TaskData {
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

/** What came in when the node ran last; else what would come from the nodes that lead to it now. */
function inputsOf(
  graph: WorkflowGraph,
  runData: RunData,
  name: string,
): { inputs: (Item[] | null)[]; sources: (InputSource | null)[] } {
  const incoming = graph.incoming(name);
  const sources: (InputSource | null)[] = [];
  for (const { source, output, input } of incoming) {
    const runs = runData[source];
    if (sources[input] || !runs?.some(({ data }) => data?.main[output]?.length)) continue;
    sources[input] = {
      previousNode: source,
      previousNodeOutput: output,
      previousNodeRun: runs.findLastIndex(({ data }) => data?.main[output]?.length),
    };
  }
  for (let input = 0; input < sources.length; input++) sources[input] ??= null;
  const inputs = sources.map((source) =>
    source
      ? (runData[source.previousNode]?.[source.previousNodeRun ?? 0]?.data?.main[
          source.previousNodeOutput ?? 0
        ] ?? null)
      : null,
  );
  if (sources.length > 0) return { inputs, sources };
  // A trigger's own expressions read what it was called with.
  const own = runData[name]?.at(-1)?.data?.main.find((items) => items?.length);
  return { inputs: [own ?? [{ json: {} }]], sources: [null] };
}
