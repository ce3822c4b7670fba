/** Compiles the JavaScript of one `{{ }}` to a program that can run for many items. */
import { type Node, parse, parseExpressionAt } from 'acorn';
import { EXTENSIONS } from './extension-names.ts';
import { type PlainPath, parsePlainPath } from './parse-plain-path.ts';
import { HELPERS, STANDARD, STUBS, VARIABLES } from './variables.ts';

export type Program =
  /** A plain path, which needs no sandbox. */
  { kind: 'path'; path: PlainPath } | ScriptProgram | { kind: 'invalid'; message: string };

export interface ScriptProgram {
  kind: 'script';
  /** A function expression without parameters that returns the value. */
  source: string;
  uses: ScopeUses;
}

/** The data that a program needs. */
export interface ScopeUses {
  /** Whether the program needs all items of the inputs. Otherwise it needs only the current one. */
  items: boolean;
  /** The nodes that it names, or all nodes when it computes a name. */
  nodes: Set<string> | 'all';
  /**
   * Whether the program needs the paired items of all items (`itemMatching(n)`). Otherwise it needs only those of the
   * current one.
   */
  matching: boolean;
}

const INVALID_SYNTAX = 'invalid syntax';

const cache = new Map<string, Program>();
const MAX_CACHED = 5000;

/** Compiles an expression. Programs are cached by their source. */
export function compile(code: string): Program {
  let program = cache.get(code);
  if (!program) {
    program = compileUncached(code);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(code, program);
  }
  return program;
}

function compileUncached(code: string): Program {
  const expression = readExpression(code);
  if (!expression) return { kind: 'invalid', message: INVALID_SYNTAX };
  const path = parsePlainPath(expression);
  if (path) return { kind: 'path', path };
  const { extensions, names, uses, usesConstructor } = inspect(expression);
  if (usesConstructor) {
    return { kind: 'invalid', message: 'Expression contains invalid constructor function call' };
  }
  const { start, end } = expression;
  let text = code.slice(start, end);
  // Insert from the last to the first, so that earlier offsets stay valid.
  for (const offset of extensions.sort((a, b) => b - a)) {
    text = `${text.slice(0, offset - start)}__ext_${text.slice(offset - start)}`;
  }
  // Unknown names become parameters of the function, so they are undefined and not an error.
  const parameters = [...names].filter((name) => !DEFINED_NAMES.has(name)).join(', ');
  return { kind: 'script', source: `(function (${parameters}) { return (${text}\n) })`, uses };
}

const DEFINED_NAMES = new Set<string>([...VARIABLES, ...HELPERS, ...STANDARD, ...STUBS]);

/** The first statement, if it is an expression. A brace at the start begins an object, not a block. */
function readExpression(code: string): Node | undefined {
  if (/^\s*\{/.test(code)) {
    try {
      const expression = parseExpressionAt(code, 0, { ecmaVersion: 'latest' });
      if (/^[\s;]*$/.test(code.slice(expression.end))) return expression;
    } catch {
      // The text is a block of statements, which is refused below.
    }
  }
  try {
    const [first] = parse(code, { ecmaVersion: 'latest' }).body;
    return first?.type === 'ExpressionStatement' ? first.expression : undefined;
  } catch {
    return undefined;
  }
}

interface Inspection {
  /** The offsets of the names of extension methods in calls. */
  extensions: number[];
  /** Every name that the expression reads. */
  names: Set<string>;
  uses: ScopeUses;
  /** Whether the program reads a property `constructor`, with which it could compile code. */
  usesConstructor: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: a walk over every kind of syntax node
type Any = any;

/** The data that the code of a Code node needs. @param tree the syntax tree of its body */
export function usesOf(tree: Node): ScopeUses {
  const { uses } = inspect(tree);
  return { ...uses, items: true };
}

function inspect(expression: Node): Inspection {
  const nodes = new Set<string>();
  const inspection: Inspection = {
    extensions: [],
    names: new Set(),
    uses: { items: false, nodes, matching: false },
    usesConstructor: false,
  };
  const visit = (node: Any, parent: Any): void => {
    if (node.type === 'Identifier') {
      if (parent?.type === 'MemberExpression' && parent.property === node && !parent.computed) return;
      if (parent?.type === 'Property' && parent.key === node && !parent.computed && !parent.shorthand) return;
      inspection.names.add(node.name);
      if (ITEM_VARIABLES.has(node.name)) inspection.uses.items = true;
      if (NODE_VARIABLES.has(node.name)) {
        const name = nodeName(node, parent);
        if (name === undefined) inspection.uses.nodes = 'all';
        else if (name !== '') nodes.add(name);
      }
      return;
    }
    if (node.type === 'MemberExpression') {
      const name = propertyName(node);
      if (name === 'constructor') inspection.usesConstructor = true;
      if (name === 'itemMatching' || name === 'pairedItem') inspection.uses.matching = true;
    }
    if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression' && !node.callee.computed) {
      const { property } = node.callee;
      if (EXTENSIONS.has(property.name)) inspection.extensions.push(property.start);
    }
    for (const child of Object.values(node).flat() as Any[]) {
      if (child && typeof child.type === 'string') visit(child, node);
    }
  };
  visit(expression, undefined);
  return inspection;
}

/** Variables that read all items of the inputs. */
const ITEM_VARIABLES = new Set(['$input', '$items', '$item']);
/** Variables that read other nodes. */
const NODE_VARIABLES = new Set(['$', '$node', '$items', '$item', '$getPairedItem', '$evaluateExpression']);
/** Those of them whose argument is not the name of a node. */
const WITHOUT_NODE_NAME = new Set(['$item', '$evaluateExpression']);

/**
 * The name of the node that `$('N')`, `$node['N']`, `$node.N` or `$items('N')` reads. Empty when it reads the current
 * node, undefined when the name is computed.
 */
function nodeName(identifier: Any, parent: Any): string | undefined {
  if (identifier.name === '$node') {
    return parent?.type === 'MemberExpression' && parent.object === identifier
      ? propertyName(parent)
      : undefined;
  }
  if (parent?.type !== 'CallExpression' || parent.callee !== identifier) return undefined;
  if (parent.arguments.length === 0) return identifier.name === '$items' ? '' : undefined;
  return WITHOUT_NODE_NAME.has(identifier.name) ? undefined : literalText(parent.arguments[0]);
}

function propertyName(member: Any): string | undefined {
  return member.computed ? literalText(member.property) : member.property.name;
}

function literalText(node: Any): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked;
  return undefined;
}
