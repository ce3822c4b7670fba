/** Packs the data of a program for the sandbox, as JSON texts. The sandbox parses a text when something reads it. */

import type { Item } from '#core/workflow-format';
import type { ExpressionError } from '../node-api/node-error.ts';
import type { ScopeUses } from './compile.ts';
import type { ExpressionScope } from './expressions.ts';
import { pairedPosition, sourceRunAndOutput } from './node-data.ts';
import { currentItems, previousNode } from './read-path.ts';

export interface SharedPack {
  /** JSON of the data that is the same for every item: execution, workflow, node … */
  scope: string;
  /** JSON of the items of each input, if the program needs them. */
  inputs?: (string | null)[];
  nodes: Record<string, NodePack>;
  /** The origins of all current items in each packed node, if the program needs them. */
  origins?: Record<string, Origin[]>;
  timezone: string;
  now: number;
}

export interface NodePack {
  /** JSON of the items of each output of each run. */
  runs: (string | null)[][];
  /** The run and output of the node through which the current items came. */
  source: { run: number; output: number };
  /** JSON */
  parameters: string;
  /** JSON */
  context: string;
}

export interface ItemPack {
  index: number;
  json: string;
  binary: string;
  /** The item's origin in each packed node. */
  origins: Record<string, Origin>;
}

/** The item of an earlier node from which an item came, or the error of an expression that reads it. */
export type Origin = { run: number; output: number; index: number } | { error: string; description?: string };

/** Packs the data that all items share. */
export function packShared(scope: ExpressionScope, uses: ScopeUses): SharedPack {
  const nodes: Record<string, NodePack> = {};
  for (const name of usedNodes(scope, uses)) {
    const parameters = scope.parametersOf(name);
    if (!parameters) continue;
    nodes[name] = {
      runs: (scope.runData[name] ?? []).map((task) => (task.data?.main ?? []).map(itemsText)),
      source: sourceRunAndOutput(scope.runData, scope.sources, name),
      parameters: JSON.stringify(parameters),
      context: JSON.stringify(scope.memory[name] ?? {}),
    };
  }
  return {
    scope: JSON.stringify({
      execution: scope.execution,
      workflow: scope.workflow,
      mode: scope.mode,
      nodeId: scope.node.id,
      nodeName: scope.node.name,
      nodeVersion: scope.node.typeVersion,
      webhookId: scope.node.webhookId,
      parameters: scope.parameters,
      rawParameters: scope.node.parameters,
      prevNode: previousNode(scope),
      runIndex: scope.runIndex,
      vars: scope.variables,
      extra: scope.extra,
    }),
    ...(uses.items && { inputs: scope.inputs.map(itemsText) }),
    nodes,
    ...(uses.matching && { origins: allOrigins(scope, uses) }),
    timezone: scope.timezone,
    now: scope.now(),
  };
}

/** Packs one item. */
export function packItem(scope: ExpressionScope, uses: ScopeUses, index: number): ItemPack {
  const item = currentItems(scope)[index];
  const origins: ItemPack['origins'] = {};
  for (const name of usedNodes(scope, uses)) {
    if (scope.runData[name]) origins[name] = originFor(scope, name, index);
  }
  return {
    index,
    json: JSON.stringify(item?.json ?? {}),
    binary: JSON.stringify(item?.binary ?? {}),
    origins,
  };
}

function originFor(scope: ExpressionScope, name: string, index: number): Origin {
  try {
    return pairedPosition(scope, name, index);
  } catch (error) {
    const { message, description } = error as ExpressionError;
    return { error: message, ...(description && { description }) };
  }
}

function allOrigins(scope: ExpressionScope, uses: ScopeUses): Record<string, Origin[]> {
  const origins: Record<string, Origin[]> = {};
  for (const name of usedNodes(scope, uses)) {
    if (!scope.runData[name]) continue;
    origins[name] = currentItems(scope).map((_, index) => originFor(scope, name, index));
  }
  return origins;
}

function usedNodes(scope: ExpressionScope, uses: ScopeUses): Iterable<string> {
  return uses.nodes === 'all' ? Object.keys(scope.runData) : uses.nodes;
}

/** The JSON of items. Items of a finished run do not change, so each list is converted once. */
const texts = new WeakMap<Item[], string>();

function itemsText(items: Item[] | null): string | null {
  if (!items) return null;
  let text = texts.get(items);
  if (text === undefined) {
    text = JSON.stringify(items);
    texts.set(items, text);
  }
  return text;
}
