/** Decides which node runs next, by the workflow's execution order. */
import type { InputSource, Item, NodeOutput, NodeTask, RunState, WorkflowGraph } from '#core/workflow-format';

export interface FlowRules {
  /** `v1` finishes a branch before the next one, from top left to bottom right. `v0` runs level after level. */
  order: 'v0' | 'v1';
  /** The number of a node's inputs. */
  inputs(name: string): number;
  /** Only these nodes run, if the run stops at a chosen node. */
  only?: Set<string>;
}

/** The state of a run with what decides its flow. */
export interface Flow {
  state: RunState;
  graph: WorkflowGraph;
  rules: FlowRules;
}

/** Items that arrive at an input of a node. */
interface Arrival {
  node: string;
  input: number;
  items: Item[];
  source: InputSource;
}

/** Sends a node's output on: nodes that are ready join the queue, nodes that miss other inputs wait. */
export function sendOutput(flow: Flow, from: { node: string; runIndex: number }, output: NodeOutput): void {
  const { state, graph, rules } = flow;
  const ready: NodeTask[] = [];
  for (const [index, items] of output.entries()) {
    if (!items) continue;
    const source = { previousNode: from.node, previousNodeOutput: index, previousNodeRun: from.runIndex };
    for (const { node, index: input } of graph.targets(from.node, index)) {
      if (rules.only && !rules.only.has(node)) continue;
      const task = arrive(flow, { node, input, items, source });
      if (task) ready.push(task);
    }
  }
  if (rules.order === 'v1') {
    // The last connected node is first among those at the same place.
    ready.reverse().sort((a, b) => byPosition(graph, a.node, b.node));
    state.queue.unshift(...ready);
  } else state.queue.push(...ready);
}

/** Takes the next task. If only incomplete ones are left, it takes one that no other of them can still feed. */
export function nextTask({ state, graph }: Pick<Flow, 'state' | 'graph'>): NodeTask | undefined {
  const next = state.queue.shift();
  if (next) return next;
  while (state.partial.length > 0) {
    const names = new Set(state.partial.map(({ node }) => node));
    const waiting = [...names].sort((a, b) => byPosition(graph, a, b));
    const name = waiting.find((candidate) => !waiting.some((other) => feeds(graph, other, candidate)));
    const index = state.partial.findIndex(({ node }) => node === (name ?? waiting[0]));
    const [task] = state.partial.splice(index, 1);
    // A node whose inputs are all empty does not run.
    if (task && hasItems(task)) return task;
  }
  return undefined;
}

/** Whether `a` can reach `b`, but not the other way round: in a loop neither is first. */
function feeds(graph: WorkflowGraph, a: string, b: string): boolean {
  return a !== b && graph.descendants(a).has(b) && !graph.descendants(b).has(a);
}

/** Returns the task of the node if it can run now. */
function arrive({ state, graph, rules }: Flow, arrival: Arrival): NodeTask | undefined {
  const { node, input, items } = arrival;
  const count = Math.max(rules.inputs(node), input + 1);
  if (count <= 1) {
    return items.length > 0 ? fill(emptyTask(node, count), arrival) : undefined;
  }
  let task = state.partial.find((other) => other.node === node && other.sources[input] == null);
  if (!task) {
    task = emptyTask(node, count);
    state.partial.push(task);
  }
  fill(task, arrival);
  const connected = new Set(graph.incoming(node).map((incoming) => incoming.input));
  const isComplete = [...connected].every((index) => task.sources[index] != null);
  if (!isComplete) return undefined;
  state.partial.splice(state.partial.indexOf(task), 1);
  return hasItems(task) ? task : undefined;
}

function emptyTask(node: string, inputs: number): NodeTask {
  return { node, inputs: Array(inputs).fill(null), sources: Array(inputs).fill(null) };
}

function fill(task: NodeTask, { input, items, source }: Arrival): NodeTask {
  task.inputs[input] = items;
  task.sources[input] = source;
  return task;
}

function hasItems({ inputs }: NodeTask): boolean {
  return inputs.some((items) => items && items.length > 0);
}

/** Top to bottom, then left to right. */
function byPosition(graph: WorkflowGraph, a: string, b: string): number {
  const [ax, ay] = graph.node(a)?.position ?? [0, 0];
  const [bx, by] = graph.node(b)?.position ?? [0, 0];
  return ay - by || ax - bx;
}
