/**
 * Expressions that only read: `$json.body.x`, `$('Webhook').item.json.body["a b"][0]`, `$itemIndex`, a literal. They are
 * most of what workflows hold, and need no sandbox.
 */
import type { Node } from 'acorn';

export interface PlainPath {
  root: PathRoot;
  /** Keys below the root. */
  keys: (string | number)[];
}

export type PathRoot =
  | { kind: 'literal'; value: string | number | boolean | null | undefined }
  | { kind: 'json' | 'binary' | 'execution' | 'workflow' | 'vars' | 'parameter' | 'prevNode' }
  | { kind: 'scalar'; name: '$itemIndex' | '$runIndex' | '$mode' | '$nodeId' | '$nodeVersion' }
  /** `$input.item`, `.first()`, `.last()` */
  | { kind: 'input'; which: Which }
  /** `$('N').item` …; `$node['N']` is the item of the same index. */
  | { kind: 'node'; name: string; which: Which | 'index' };

export type Which = 'item' | 'first' | 'last';

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

/** Undefined when the expression does more than read. */
export function readPlainPath(expression: Node): PlainPath | undefined {
  const keys: (string | number)[] = [];
  let at: Any = expression;
  for (;;) {
    if (at.type === 'ChainExpression') {
      at = at.expression;
      continue;
    }
    const root = readRoot(at, keys);
    if (root) return isReadable(root, keys) ? { root, keys } : undefined;
    if (at.type !== 'MemberExpression') return undefined;
    const key = readKey(at);
    if (key === undefined || key === 'constructor' || key === '__proto__') return undefined;
    keys.unshift(key);
    at = at.object;
  }
}

/** `$node['N'].parameter` and the like are more than reading data. */
function isReadable(root: PathRoot, keys: (string | number)[]): boolean {
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

/** `$input.item`, `$('N').first()`; `$node['N']` and `$node.N`. */
function readSelection(member: Any, which: Which, key: string | number | undefined): PathRoot | undefined {
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
