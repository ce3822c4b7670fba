/** What a program needs, put together for the sandbox as JSON text that it parses when something is read. */

import type { Item } from '#core/workflow-format';
import type { ExpressionError } from '../node-api/node-error.ts';
import type { ScopeUses } from './compile.ts';
import type { ExpressionScope } from './expressions.ts';
import { hopTo, pairedPlace } from './node-data.ts';
import { currentItems, previousNode } from './read-path.ts';

export interface SharedPack {
  /** JSON of what is the same for every item: execution, workflow, node … */
  scope: string;
  /** JSON of the items of each input; only when asked for. */
  inputs?: (string | null)[];
  nodes: Record<string, NodePack>;
  /** For each node packed, where every current item goes back to; only when asked for. */
  origins?: Record<string, Origin[]>;
  timezone: string;
  now: number;
}

export interface NodePack {
  /** JSON of the items of each output of each run. */
  runs: (string | null)[][];
  hop: { run: number; output: number };
  /** JSON */
  parameters: string;
  /** JSON */
  context: string;
}

export interface ItemPack {
  index: number;
  json: string;
  binary: string;
  /** For each node packed: where the item goes back to. */
  origins: Record<string, Origin>;
}

export type Origin = { run: number; output: number; index: number } | { error: string; description?: string };

export function packShared(scope: ExpressionScope, uses: ScopeUses): SharedPack {
  const nodes: Record<string, NodePack> = {};
  for (const name of namesOf(scope, uses)) {
    const parameters = scope.parametersOf(name);
    if (!parameters) continue;
    nodes[name] = {
      runs: (scope.runData[name] ?? []).map((task) => (task.data?.main ?? []).map(itemsText)),
      hop: hopTo(scope.runData, scope.sources, name),
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

export function packItem(scope: ExpressionScope, uses: ScopeUses, index: number): ItemPack {
  const item = currentItems(scope)[index];
  const origins: ItemPack['origins'] = {};
  for (const name of namesOf(scope, uses)) {
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
    return pairedPlace(scope, name, index);
  } catch (error) {
    const { message, description } = error as ExpressionError;
    return { error: message, ...(description && { description }) };
  }
}

function allOrigins(scope: ExpressionScope, uses: ScopeUses): Record<string, Origin[]> {
  const origins: Record<string, Origin[]> = {};
  for (const name of namesOf(scope, uses)) {
    if (!scope.runData[name]) continue;
    origins[name] = currentItems(scope).map((_, index) => originFor(scope, name, index));
  }
  return origins;
}

function namesOf(scope: ExpressionScope, uses: ScopeUses): Iterable<string> {
  return uses.nodes === 'all' ? Object.keys(scope.runData) : uses.nodes;
}

/** Items of a finished run do not change: their text is made once. */
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
