/** Reads plain paths from the scope. */
import type { Item } from '#core/workflow-format';
import type { ExpressionScope } from './expressions.ts';
import { itemsOf, pairedItemOf, sameIndexItem } from './node-data.ts';
import type { ItemSelector, PlainPath } from './parse-plain-path.ts';

/** The value at a path, or undefined. @throws ExpressionError for a node that has not run, or does not exist */
export function readPath({ root, keys }: PlainPath, scope: ExpressionScope, itemIndex: number): unknown {
  return keys.reduce<unknown>(readProperty, rootValue(root, scope, itemIndex));
}

/** The items of the first input that has any: expressions have only one current item. */
export function currentItems(scope: ExpressionScope): Item[] {
  return scope.inputs.find((items) => items && items.length > 0) ?? scope.inputs[0] ?? [];
}

/** `$prevNode` */
export function previousNode(scope: ExpressionScope) {
  const source = scope.sources.find((candidate) => candidate !== null);
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

function select(items: Item[], which: ItemSelector, itemIndex: number): Item | undefined {
  return which === 'item' ? items[itemIndex] : which === 'first' ? items[0] : items.at(-1);
}

/** Own properties alone: a path never reaches a prototype. */
function readProperty(value: unknown, key: string | number): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') {
    return key === 'length' ? value.length : typeof key === 'number' ? value[key] : undefined;
  }
  if (typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string | number, unknown>)[key];
}
