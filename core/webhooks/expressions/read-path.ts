/** Answers plain paths from the scope itself. */
import type { Item } from '#core/workflow-format';
import type { ExpressionScope } from './expressions.ts';
import { itemsOf, pairedItemOf, sameIndexItem } from './node-data.ts';
import type { PlainPath, Which } from './parse-plain-path.ts';

/** Undefined for what is not there, however deep. */
export function readPath({ root, keys }: PlainPath, scope: ExpressionScope, itemIndex: number): unknown {
  return keys.reduce<unknown>(step, rootValue(root, scope, itemIndex));
}

/** The items of the first input that has some: expressions know only one current item. */
export function currentItems(scope: ExpressionScope): Item[] {
  return scope.inputs.find((items) => items && items.length > 0) ?? scope.inputs[0] ?? [];
}

export function previousNode(scope: ExpressionScope) {
  const source = scope.sources.find((one) => one !== null);
  return source
    ? {
        name: source.previousNode,
        outputIndex: source.previousNodeOutput ?? 0,
        runIndex: source.previousNodeRun ?? 0,
      }
    : { name: undefined, outputIndex: undefined, runIndex: undefined };
}

function rootValue(root: PlainPath['root'], scope: ExpressionScope, itemIndex: number): unknown {
  switch (root.kind) {
    case 'literal':
      return root.value;
    case 'json':
      return currentItems(scope)[itemIndex]?.json ?? {};
    case 'binary':
      return currentItems(scope)[itemIndex]?.binary ?? {};
    case 'execution':
      return scope.execution;
    case 'workflow':
      return scope.workflow;
    case 'vars':
      return scope.variables;
    case 'parameter':
      return scope.parameters;
    case 'prevNode':
      return previousNode(scope);
    case 'input':
      return select(currentItems(scope), root.which, itemIndex);
    case 'node':
      if (root.which === 'item') return pairedItemOf(scope, root.name, itemIndex);
      if (root.which === 'index') return sameIndexItem(scope, root.name, itemIndex);
      return select(itemsOf(scope, root.name), root.which, itemIndex);
    case 'scalar':
      return scalar(root.name, scope, itemIndex);
  }
}

function scalar(name: string, scope: ExpressionScope, itemIndex: number): unknown {
  switch (name) {
    case '$itemIndex':
      return itemIndex;
    case '$runIndex':
      return scope.runIndex;
    case '$mode':
      return scope.mode;
    case '$nodeId':
      return scope.node.id;
    default:
      return scope.node.typeVersion;
  }
}

function select(items: Item[], which: Which, itemIndex: number): Item | undefined {
  return which === 'item' ? items[itemIndex] : which === 'first' ? items[0] : items.at(-1);
}

function step(at: unknown, key: string | number): unknown {
  if (at === null || at === undefined) return undefined;
  if (typeof at === 'string')
    return key === 'length' ? at.length : typeof key === 'number' ? at[key] : undefined;
  if (typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined;
  return (at as Record<string | number, unknown>)[key];
}
