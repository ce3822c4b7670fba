/** Inserts counters at the branches of a bundle, and collects its literals. */
import { type AnyNode, parse } from 'acorn';

interface Instrumented {
  code: string;
  /** How many counters the code has. */
  counters: number;
  /** Short texts of the code, which inputs may contain. */
  words: string[];
}

/** Code before the counters. The engine supplies the array. */
const COUNTERS = '__fuzzCounters';
const MAX_WORD = 24;

/** @param code an ES module */
export function instrument(code: string): Instrumented {
  const insertions: { at: number; text: string; closes: boolean; order: number }[] = [];
  const words = new Set<string>();
  let counters = 0;
  const count = () => `${COUNTERS}[${counters++}]++`;
  const add = (at: number, text: string, closes = false) =>
    insertions.push({ at, text, closes, order: insertions.length });
  /** Wraps an expression: `(counter, (expression))`. */
  const wrap = ({ start, end }: AnyNode) => {
    add(start, `(${count()},(`);
    add(end, '))', true);
  };
  const block = (node: AnyNode | null | undefined) => {
    if (!node) return;
    if (node.type === 'BlockStatement') return add(node.start + 1, `${count()};`);
    add(node.start, `{${count()};`);
    add(node.end, '}', true);
  };
  const visitors: Partial<Record<AnyNode['type'], (node: never) => void>> = {
    FunctionDeclaration: ({ body }: { body: AnyNode }) => block(body),
    FunctionExpression: ({ body }: { body: AnyNode }) => block(body),
    ArrowFunctionExpression: ({ body }: { body: AnyNode }) =>
      body.type === 'BlockStatement' ? block(body) : wrap(body),
    IfStatement: ({ consequent, alternate }: { consequent: AnyNode; alternate: AnyNode | null }) => {
      block(consequent);
      block(alternate);
    },
    ForStatement: ({ body }: { body: AnyNode }) => block(body),
    ForOfStatement: ({ body }: { body: AnyNode }) => block(body),
    ForInStatement: ({ body }: { body: AnyNode }) => block(body),
    WhileStatement: ({ body }: { body: AnyNode }) => block(body),
    DoWhileStatement: ({ body }: { body: AnyNode }) => block(body),
    CatchClause: ({ body }: { body: AnyNode }) => block(body),
    ConditionalExpression: ({ consequent, alternate }: { consequent: AnyNode; alternate: AnyNode }) => {
      wrap(consequent);
      wrap(alternate);
    },
    LogicalExpression: ({ right }: { right: AnyNode }) => wrap(right),
    SwitchCase: ({ consequent }: { consequent: AnyNode[] }) => {
      if (consequent[0]) add(consequent[0].start, `${count()};`);
    },
    Literal: ({ value }: { value: unknown }) => {
      if (typeof value === 'string' && value.length > 0 && value.length <= MAX_WORD) words.add(value);
    },
  };
  walk(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), (node) =>
    (visitors[node.type] as ((node: AnyNode) => void) | undefined)?.(node),
  );
  // At one position the inner node closes first, and the outer one opens first.
  insertions.sort(
    (a, b) =>
      a.at - b.at ||
      Number(b.closes) - Number(a.closes) ||
      (a.closes ? b.order - a.order : a.order - b.order),
  );
  const pieces: string[] = [];
  let from = 0;
  for (const { at, text } of insertions) {
    pieces.push(code.slice(from, at), text);
    from = at;
  }
  pieces.push(code.slice(from));
  const head = `const ${COUNTERS} = globalThis.${COUNTERS} ??= new Uint8Array(1 << 20);\n`;
  return { code: head + pieces.join(''), counters, words: [...words] };
}

function walk(node: AnyNode, visit: (node: AnyNode) => void): void {
  visit(node);
  for (const value of Object.values(node) as unknown[]) {
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof (child as AnyNode | null)?.type === 'string') walk(child as AnyNode, visit);
  }
}
