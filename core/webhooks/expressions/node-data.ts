/** Reads the items of other nodes for expressions, and finds the item that the current one came from. */

import { type InputSource, type Item, originOf, pairedItems, type RunData } from '#core/workflow-format';
import { ExpressionError } from '../node-api/node-error.ts';
import type { ExpressionScope } from './expressions.ts';

/** @throws ExpressionError when the workflow has no node of this name */
function requireNode(scope: ExpressionScope, name: string): void {
  if (scope.parametersOf(name)) return;
  throw new ExpressionError("Referenced node doesn't exist", {
    description: `The node '${name}' doesn't exist, but it's used in an expression here.`,
  });
}

/** @throws ExpressionError when the node has not run */
function requireRun(scope: ExpressionScope, name: string): void {
  requireNode(scope, name);
  if (scope.runData[name]?.some(({ data }) => data)) return;
  throw new ExpressionError(`Node '${name}' hasn't been executed`, {
    description: `An expression references the node '${name}', but it hasn't been executed yet. Change the expression, or re-wire the workflow so that the node runs before.`,
  });
}

/**
 * The run and the output of a node through which the current items came. If they did not come through it, its last run
 * and first output.
 */
export function sourceRunAndOutput(
  runData: RunData,
  sources: (InputSource | null)[],
  name: string,
): { run: number; output: number } {
  // Breadth first, from the current node backwards.
  const seen = new Set<string>();
  const queue = sources.filter((source) => source !== null);
  for (let source = queue.shift(); source; source = queue.shift()) {
    const run = source.previousNodeRun ?? 0;
    if (source.previousNode === name) return { run, output: source.previousNodeOutput ?? 0 };
    const key = `${source.previousNode}\n${run}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const task = runData[source.previousNode]?.[run];
    queue.push(...(task?.source ?? []).filter((next) => next !== null));
  }
  const runs = runData[name] ?? [];
  return { run: Math.max(0, runs.length - 1), output: 0 };
}

/** The items of a node's output: by default of the run and output through which the current items came. */
export function itemsOf(scope: ExpressionScope, name: string, output?: number, run?: number): Item[] {
  requireRun(scope, name);
  const source = sourceRunAndOutput(scope.runData, scope.sources, name);
  return scope.runData[name]?.[run ?? source.run]?.data?.main?.[output ?? source.output] ?? [];
}

/** `$('N').item`: the item of an earlier node that the current one came from. */
export function pairedItemOf(scope: ExpressionScope, name: string, itemIndex: number): Item {
  requireRun(scope, name);
  const { run, output, index } = pairedPosition(scope, name, itemIndex);
  return scope.runData[name]![run]!.data!.main![output]![index]!;
}

/** Where that item is. @throws ExpressionError when it is unknown, or not clear which one it is */
export function pairedPosition(
  scope: ExpressionScope,
  name: string,
  itemIndex: number,
): { run: number; output: number; index: number } {
  const input = Math.max(
    0,
    scope.sources.findIndex((source) => source !== null),
  );
  const called = callerPair(scope, input, itemIndex);
  const origin = called
    ? originOf(scope.runData, [called.source], 0, called.item, name)
    : originOf(scope.runData, scope.sources, input, itemIndex, name);
  if (!('problem' in origin)) {
    const item = scope.runData[name]?.[origin.run]?.data?.main?.[origin.output]?.[origin.index];
    if (item) return origin;
  }
  const problem = 'problem' in origin ? origin.problem : 'lost';
  if (problem === 'unconnected') {
    throw new ExpressionError(`There is no connection back to the node '${name}'`, {
      description: `Items here do not come from '${name}'. Use $('${name}').first(), .last() or .all() instead of .item.`,
    });
  }
  throw new ExpressionError(
    problem === 'ambiguous'
      ? `Multiple matching items for expression [item ${itemIndex}]`
      : `Paired item data for item from node '${name}' is unavailable`,
    {
      description: `Which item of '${name}' belongs to this one ${problem === 'ambiguous' ? 'is not clear: several do' : 'is not known: a node on the way made items without saying from what'}. Use $('${name}').first(), .last(), .all() or .itemMatching(n) instead of .item.`,
      itemIndex,
    },
  );
}

/**
 * For an item that an agent gives to a tool: the item that the agent works on. The agent has no output yet, in which the
 * way back could be looked up.
 */
function callerPair(
  { sources, inputs, runData }: ExpressionScope,
  input: number,
  itemIndex: number,
): { source: InputSource; item: number } | undefined {
  const [pair] = pairedItems(inputs[input]?.[itemIndex]?.pairedItem);
  const from = sources[input];
  if (!pair?.sourceOverwrite || !from) return undefined;
  if (runData[from.previousNode]?.[from.previousNodeRun ?? 0]?.data) return undefined;
  return { source: pair.sourceOverwrite, item: pair.item };
}

/** `$node['N']`: the item with the index of the current one. */
export function sameIndexItem(scope: ExpressionScope, name: string, itemIndex: number): Item {
  const items = itemsOf(scope, name);
  const item = items[itemIndex];
  if (item) return item;
  throw new ExpressionError(
    `"${name}" node has ${items.length} item(s) but you're trying to access item ${itemIndex}`,
    { itemIndex },
  );
}
