/** Turns the JavaScript of one `{{ }}` island into a program that can be run for many items. */
import { type Node, parse, parseExpressionAt } from 'acorn';
import { EXTENSIONS } from './extension-names.ts';
import { type PlainPath, readPlainPath } from './parse-plain-path.ts';
import { HELPERS, STANDARD, STUBS, VARIABLES } from './variables.ts';

export type Program =
  /** Answered without a sandbox. */
  { kind: 'path'; path: PlainPath } | ScriptProgram | { kind: 'invalid'; message: string };

export interface ScriptProgram {
  kind: 'script';
  /** A function expression that takes nothing and returns the value. */
  source: string;
  uses: ScopeUses;
}

/** What has to be there when the program runs. */
export interface ScopeUses {
  /** All items of the inputs, not only the current one. */
  items: boolean;
  /** Nodes that are named, or all of them when a name is computed. */
  nodes: Set<string> | 'all';
  /** `itemMatching(n)`: pairings of all items, not only of the current one. */
  matching: boolean;
}

export const INVALID_SYNTAX = 'invalid syntax';

const cache = new Map<string, Program>();
const MOST_CACHED = 5000;

export function compile(code: string): Program {
  let program = cache.get(code);
  if (!program) {
    program = compileNew(code);
    if (cache.size >= MOST_CACHED) cache.clear();
    cache.set(code, program);
  }
  return program;
}

function compileNew(code: string): Program {
  const expression = readExpression(code);
  if (!expression) return { kind: 'invalid', message: INVALID_SYNTAX };
  const path = readPlainPath(expression);
  if (path) return { kind: 'path', path };
  const found = inspect(expression);
  if (found.forbidden) {
    return { kind: 'invalid', message: 'Expression contains invalid constructor function call' };
  }
  const from = expression.start;
  let text = code.slice(from, expression.end);
  for (const at of found.extensions.sort((a, b) => b - a)) {
    text = `${text.slice(0, at - from)}__ext_${text.slice(at - from)}`;
  }
  const parameters = [...found.names].filter((name) => !KNOWN.has(name)).join(', ');
  return { kind: 'script', source: `(function (${parameters}) { return (${text}\n) })`, uses: found.uses };
}

const KNOWN = new Set<string>([...VARIABLES, ...HELPERS, ...STANDARD, ...STUBS]);

/** The first statement, when it is an expression. An object at the start is one, not a block. */
function readExpression(code: string): Node | undefined {
  if (/^\s*\{/.test(code)) {
    try {
      const expression = parseExpressionAt(code, 0, { ecmaVersion: 'latest' });
      if (/^[\s;]*$/.test(code.slice(expression.end))) return expression;
    } catch {
      // A block, then: refused below.
    }
  }
  try {
    const [first] = parse(code, { ecmaVersion: 'latest' }).body;
    return first?.type === 'ExpressionStatement' ? first.expression : undefined;
  } catch {
    return undefined;
  }
}

interface Found {
  /** Offsets of the names of extension methods in calls. */
  extensions: number[];
  /** Every name that is read somewhere. */
  names: Set<string>;
  uses: ScopeUses;
  forbidden: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: a walk over every kind of syntax node
type Any = any;

/** What the code of a Code node reads of other nodes; `parse` gives the syntax tree of the whole body. */
export function usesOf(tree: Node): ScopeUses {
  const { uses } = inspect(tree);
  return { ...uses, items: true };
}

function inspect(expression: Node): Found {
  const nodes = new Set<string>();
  const found: Found = {
    extensions: [],
    names: new Set(),
    uses: { items: false, nodes, matching: false },
    forbidden: false,
  };
  const visit = (node: Any, parent: Any): void => {
    if (node.type === 'Identifier') {
      if (parent?.type === 'MemberExpression' && parent.property === node && !parent.computed) return;
      if (parent?.type === 'Property' && parent.key === node && !parent.computed && !parent.shorthand) return;
      found.names.add(node.name);
      if (ITEM_READERS.has(node.name)) found.uses.items = true;
      if (NODE_READERS.has(node.name)) {
        const name = nodeName(node, parent);
        if (name === undefined) found.uses.nodes = 'all';
        else if (name !== '') nodes.add(name);
      }
      return;
    }
    if (node.type === 'MemberExpression') {
      const name = propertyName(node);
      if (name === 'constructor') found.forbidden = true;
      if (name === 'itemMatching' || name === 'pairedItem') found.uses.matching = true;
    }
    if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression' && !node.callee.computed) {
      const { property } = node.callee;
      if (EXTENSIONS.has(property.name)) found.extensions.push(property.start);
    }
    for (const key of Object.keys(node)) {
      const child = node[key];
      if (Array.isArray(child)) for (const one of child) one?.type && visit(one, node);
      else if (child && typeof child.type === 'string') visit(child, node);
    }
  };
  visit(expression, undefined);
  return found;
}

const ITEM_READERS = new Set(['$input', '$items', '$item']);
const NODE_READERS = new Set(['$', '$node', '$items', '$item']);

/** The node that `$('N')`, `$node['N']`, `$node.N` or `$items('N')` reads; '' for none, undefined when it is computed. */
function nodeName(identifier: Any, parent: Any): string | undefined {
  if (identifier.name === '$node') {
    return parent?.type === 'MemberExpression' && parent.object === identifier
      ? propertyName(parent)
      : undefined;
  }
  if (parent?.type !== 'CallExpression' || parent.callee !== identifier) return undefined;
  if (parent.arguments.length === 0) return identifier.name === '$items' ? '' : undefined;
  return identifier.name === '$item' ? undefined : literalText(parent.arguments[0]);
}

function propertyName(member: Any): string | undefined {
  return member.computed ? literalText(member.property) : member.property.name;
}

function literalText(node: Any): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked;
  return undefined;
}
