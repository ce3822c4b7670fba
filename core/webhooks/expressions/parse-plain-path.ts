/**
 * Recognizes expressions that only read data: `$json.body.x`, `$('Webhook').item.json.body["a b"][0]`, `$itemIndex`, or
 * a literal. Most expressions of workflows are such paths, and these need no sandbox.
 */
import type { Node } from 'acorn';

export interface PlainPath {
  root: PathRoot;
  /** Keys below the root. */
  keys: (string | number)[];
}

type PathRoot =
  | { kind: 'literal'; value: string | number | boolean | null | undefined }
  | { kind: 'json' | 'binary' | 'execution' | 'workflow' | 'vars' | 'parameter' | 'prevNode' }
  | { kind: 'scalar'; name: '$itemIndex' | '$runIndex' | '$mode' | '$nodeId' | '$nodeVersion' }
  /** `$input.item`, `.first()`, `.last()` */
  | { kind: 'input'; which: ItemSelector }
  /** `$('N').item`, `.first()`, `.last()`; `index` is `$node['N']`, the item with the current index */
  | { kind: 'node'; name: string; which: ItemSelector | 'index' };

/** `item` is the current item of an input, or the paired item of a node. */
export type ItemSelector = 'item' | 'first' | 'last';

// biome-ignore lint/suspicious/noExplicitAny: syntax nodes of every kind
type Any = any;

const OBJECTS: Record<string, PathRoot> = {
  $json: { kind: 'json' },
  $data: { kind: 'json' },
  $binary: { kind: 'binary' },
  $execution: { kind: 'execution' },
  $workflow: { kind: 'workflow' },
  $vars: { kind: 'vars' },
  $parameter: { kind: 'parameter' },
  $prevNode: { kind: 'prevNode' },
};
const SCALARS = new Set(['$itemIndex', '$runIndex', '$mode', '$nodeId', '$nodeVersion']);

/** The path of an expression. Undefined when the expression does more than read. */
export function parsePlainPath(expression: Node): PlainPath | undefined {
  const keys: (string | number)[] = [];
  let node: Any = expression;
  for (;;) {
    if (node.type === 'ChainExpression') {
      node = node.expression;
      continue;
    }
    const root = readRoot(node, keys);
    if (root) return isDataPath(root, keys) ? { root, keys } : undefined;
    if (node.type !== 'MemberExpression') return undefined;
    const key = readKey(node);
    if (key === undefined || key === 'constructor' || key === '__proto__') return undefined;
    keys.unshift(key);
    node = node.object;
  }
}

/** `$node['N'].parameter` and the like need more than the node's items. */
function isDataPath(root: PathRoot, keys: (string | number)[]): boolean {
  return root.kind !== 'node' || root.which !== 'index' || keys[0] === 'json' || keys[0] === 'binary';
}

function readKey(member: Any): string | number | undefined {
  if (!member.computed) return member.property.type === 'Identifier' ? member.property.name : undefined;
  const { type, value } = member.property;
  return type === 'Literal' && (typeof value === 'string' || typeof value === 'number') ? value : undefined;
}

function readRoot(node: Any, keys: (string | number)[]): PathRoot | undefined {
  switch (node.type) {
    case 'Literal':
      return keys.length === 0 && isScalar(node.value) && !node.bigint && !node.regex
        ? { kind: 'literal', value: node.value }
        : undefined;
    case 'Identifier':
      if (node.name === 'undefined' && keys.length === 0) return { kind: 'literal', value: undefined };
      if (SCALARS.has(node.name) && keys.length === 0) return { kind: 'scalar', name: node.name };
      return Object.hasOwn(OBJECTS, node.name) ? OBJECTS[node.name] : undefined;
    case 'MemberExpression':
      return readSelection(node, 'item', readKey(node));
    case 'CallExpression': {
      if (node.arguments.length > 0 || node.callee.type !== 'MemberExpression') return undefined;
      const name = readKey(node.callee);
      return name === 'first' || name === 'last' ? readSelection(node.callee, name, name) : undefined;
    }
    default:
      return undefined;
  }
}

/** Reads `$input.item`, `$('N').first()`, `$node['N']` and `$node.N`. */
function readSelection(
  member: Any,
  which: ItemSelector,
  key: string | number | undefined,
): PathRoot | undefined {
  const { object } = member;
  if (
    object.type === 'Identifier' &&
    object.name === '$node' &&
    which === 'item' &&
    typeof key === 'string'
  ) {
    return { kind: 'node', name: key, which: 'index' };
  }
  if (key !== which) return undefined;
  if (object.type === 'Identifier' && object.name === '$input') return { kind: 'input', which };
  const [name] = object.type === 'CallExpression' && object.callee.name === '$' ? object.arguments : [];
  return object.arguments?.length === 1 && name.type === 'Literal' && typeof name.value === 'string'
    ? { kind: 'node', name: name.value, which }
    : undefined;
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
