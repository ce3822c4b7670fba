/** What expressions read of other nodes: their items, and the one that the current item goes back to. */

import { type InputSource, type Item, originOf, type RunData } from '#core/workflow-format';
import { ExpressionError } from '../node-api/node-error.ts';
import type { ExpressionScope } from './expressions.ts';

/** Throws when the workflow has no node of this name. */
export function requireNode(scope: ExpressionScope, name: string): void {
  if (scope.parametersOf(name)) return;
  throw new ExpressionError("Referenced node doesn't exist", {
    description: `The node '${name}' doesn't exist, but it's used in an expression here.`,
  });
}

/** Throws when the node did not run (yet). */
export function requireRun(scope: ExpressionScope, name: string): void {
  requireNode(scope, name);
  if (scope.runData[name]?.some(({ data }) => data)) return;
  throw new ExpressionError(`Node '${name}' hasn't been executed`, {
    description: `An expression references the node '${name}', but it hasn't been executed yet. Change the expression, or re-wire the workflow so that the node runs before.`,
  });
}

/**
 * Which run and output of a node the current items came through; the last run and the first output where they did not.
 */
export function hopTo(
  runData: RunData,
  sources: (InputSource | null)[],
  name: string,
): { run: number; output: number } {
  const seen = new Set<string>();
  const todo = sources.filter((source) => source !== null);
  for (let source = todo.shift(); source; source = todo.shift()) {
    const run = source.previousNodeRun ?? 0;
    if (source.previousNode === name) return { run, output: source.previousNodeOutput ?? 0 };
    const key = `${source.previousNode}\n${run}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const task = runData[source.previousNode]?.[run];
    todo.push(...(task?.source ?? []).filter((one) => one !== null));
  }
  const runs = runData[name] ?? [];
  return { run: Math.max(0, runs.length - 1), output: 0 };
}

/** Items of a node's output; by default of the one that leads here. */
export function itemsOf(scope: ExpressionScope, name: string, output?: number, run?: number): Item[] {
  requireRun(scope, name);
  const hop = hopTo(scope.runData, scope.sources, name);
  return scope.runData[name]?.[run ?? hop.run]?.data?.main[output ?? hop.output] ?? [];
}

/** `$('N').item`: the item that the current one was made of, some steps before. */
export function pairedItemOf(scope: ExpressionScope, name: string, itemIndex: number): Item {
  requireRun(scope, name);
  const place = pairedPlace(scope, name, itemIndex);
  return scope.runData[name]![place.run]!.data!.main[place.output]![place.index]!;
}

export function pairedPlace(
  scope: ExpressionScope,
  name: string,
  itemIndex: number,
): { run: number; output: number; index: number } {
  const input = Math.max(
    0,
    scope.sources.findIndex((source) => source !== null),
  );
  const origin = originOf(scope.runData, scope.sources, input, itemIndex, name);
  if (!('problem' in origin)) {
    const item = scope.runData[name]?.[origin.run]?.data?.main[origin.output]?.[origin.index];
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
