/** Which node runs next: the queue of a run, by the rules of its execution order. */
import type { InputSource, Item, NodeOutput, NodeTask, RunState, WorkflowGraph } from '#core/workflow-format';

export interface FlowRules {
  /** `v1`: the branch first begun is finished first, branches from top left to bottom right. Else level by level. */
  order: 'v0' | 'v1';
  inputs(name: string): number;
  runsOnAnyInput(name: string): boolean;
  /** Nodes outside are never started (a run up to a chosen node). */
  only?: Set<string>;
}

/** Hands a node's output on: nodes that are ready join the queue, those with inputs still to come wait. */
export function handOn(
  state: RunState,
  graph: WorkflowGraph,
  rules: FlowRules,
  from: { node: string; runIndex: number },
  output: NodeOutput,
): void {
  const ready: NodeTask[] = [];
  for (const [index, items] of output.entries()) {
    if (!items) continue;
    for (const target of graph.targets(from.node, index)) {
      if (rules.only && !rules.only.has(target.node)) continue;
      const source = sourceOf(from, index);
      const task = arrive(state, graph, rules, target.node, target.index, items, source);
      if (task) ready.push(task);
    }
  }
  if (rules.order === 'v1') {
    ready.sort((a, b) => byPlace(graph, a.node, b.node));
    state.queue.unshift(...ready);
  } else state.queue.push(...ready);
}

/** The next task; when only incomplete nodes are left, the one that nothing else can still feed. */
export function nextTask(state: RunState, graph: WorkflowGraph): NodeTask | undefined {
  const next = state.queue.shift();
  if (next) return next;
  while (state.partial.length > 0) {
    const waiting = [...new Set(state.partial.map(({ node }) => node))].sort((a, b) => byPlace(graph, a, b));
    const free = waiting.find(
      (name) => !waiting.some((other) => other !== name && isBefore(graph, other, name)),
    );
    const index = state.partial.findIndex(({ node }) => node === (free ?? waiting[0]));
    const [task] = state.partial.splice(index, 1);
    // All that arrived was the news that a branch had nothing: no reason to run.
    if (task?.inputs.some((items) => items && items.length > 0)) return task;
  }
  return undefined;
}

/** `a` feeds `b` and not the other way round (in a loop neither is first). */
function isBefore(graph: WorkflowGraph, a: string, b: string): boolean {
  return graph.descendants(a).has(b) && !graph.descendants(b).has(a);
}

function arrive(
  state: RunState,
  graph: WorkflowGraph,
  rules: FlowRules,
  node: string,
  input: number,
  items: Item[],
  source: InputSource,
): NodeTask | undefined {
  const count = Math.max(rules.inputs(node), input + 1);
  if (count <= 1 || rules.runsOnAnyInput(node)) {
    return items.length > 0 ? single(node, count, input, items, source) : undefined;
  }
  let task = state.partial.find((one) => one.node === node && one.sources[input] == null);
  if (!task) {
    task = { node, inputs: Array(count).fill(null), sources: Array(count).fill(null) };
    state.partial.push(task);
  }
  task.inputs[input] = items;
  task.sources[input] = source;
  const connected = new Set(graph.incoming(node).map((incoming) => incoming.input));
  const complete = [...connected].every((one) => task.sources[one] != null);
  if (!complete) return undefined;
  state.partial.splice(state.partial.indexOf(task), 1);
  return task.inputs.some((one) => one && one.length > 0) ? task : undefined;
}

function single(node: string, count: number, input: number, items: Item[], source: InputSource): NodeTask {
  const inputs: NodeTask['inputs'] = Array(count).fill(null);
  const sources: NodeTask['sources'] = Array(count).fill(null);
  inputs[input] = items;
  sources[input] = source;
  return { node, inputs, sources };
}

function sourceOf(from: { node: string; runIndex: number }, output: number): InputSource {
  return { previousNode: from.node, previousNodeOutput: output, previousNodeRun: from.runIndex };
}

/** Top to bottom, then left to right. */
function byPlace(graph: WorkflowGraph, a: string, b: string): number {
  const [ax, ay] = graph.node(a)?.position ?? [0, 0];
  const [bx, by] = graph.node(b)?.position ?? [0, 0];
  return ay - by || ax - bx;
}
