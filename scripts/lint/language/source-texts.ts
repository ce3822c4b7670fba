/**
 * Finds the texts of a source file that people read: comments, names that it declares, titles of tests and
 * messages.
 */
import { parseSync, Visitor } from 'oxc-parser';

export interface SourceText {
  kind: 'comment' | 'name' | 'title' | 'message';
  text: string;
  /** Offset in the file. */
  start: number;
}

/** @returns the texts in no particular order. Throws when the file is no TypeScript. */
export function sourceTexts(path: string, code: string): SourceText[] {
  const { program, comments, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const texts: SourceText[] = [];
  for (const [start, text] of mergedComments(comments, code)) texts.push({ kind: 'comment', text, start });
  const declare = (pattern: unknown): void => {
    for (const { name, start } of boundNames(pattern)) texts.push({ kind: 'name', text: name, start });
  };
  new Visitor({
    VariableDeclarator: (node) => declare(node.id),
    FunctionDeclaration(node) {
      if (node.id) declare(node.id);
      node.params.forEach(declare);
    },
    FunctionExpression: (node) => node.params.forEach(declare),
    ArrowFunctionExpression: (node) => node.params.forEach(declare),
    ClassDeclaration: (node) => node.id && declare(node.id),
    TSInterfaceDeclaration: (node) => declare(node.id),
    TSTypeAliasDeclaration: (node) => declare(node.id),
    MethodDefinition: (node) => declare(node.key),
    PropertyDefinition: (node) => declare(node.key),
    CallExpression(node) {
      const title = node.arguments[0];
      if (title?.type === 'Literal' && typeof title.value === 'string' && isTestCall(node.callee)) {
        texts.push({ kind: 'title', text: title.value, start: title.start });
      }
    },
    Literal(node) {
      if (typeof node.value === 'string' && isProse(node.value)) {
        texts.push({ kind: 'message', text: node.value, start: node.start });
      }
    },
    TemplateElement(node) {
      const text = node.value.cooked ?? '';
      if (isProse(text)) texts.push({ kind: 'message', text, start: node.start });
    },
  }).visit(program);
  return texts;
}

/** Line comments below one another are one text: sentences go over their ends. */
function* mergedComments(
  comments: { type: string; value: string; start: number; end: number }[],
  code: string,
): Generator<[start: number, text: string]> {
  let lines: { start: number; end: number; text: string } | undefined;
  for (const { type, value, start, end } of comments) {
    if (type === 'Block') {
      yield [start, value.replace(/^\s*\* ?/gm, '')];
      continue;
    }
    if (lines && /^\n[ \t]*$/.test(code.slice(lines.end, start))) {
      lines.text += `\n${value}`;
      lines.end = end;
      continue;
    }
    if (lines) yield [lines.start, lines.text];
    lines = { start, end, text: value };
  }
  if (lines) yield [lines.start, lines.text];
}

type Node = { type: string; name?: string; start: number; [key: string]: unknown };

/** The names that a pattern binds: `{ a, b: [c], ...d }` binds a, c and d. */
function boundNames(pattern: unknown): { name: string; start: number }[] {
  const node = pattern as Node | null;
  if (!node) return [];
  switch (node.type) {
    case 'Identifier':
    case 'PrivateIdentifier':
      return [{ name: node.name!, start: node.start }];
    case 'ObjectPattern':
      return (node.properties as Node[]).flatMap((property) =>
        boundNames(property.value ?? property.argument),
      );
    case 'ArrayPattern':
      return (node.elements as unknown[]).flatMap(boundNames);
    case 'AssignmentPattern':
      return boundNames(node.left);
    case 'RestElement':
      return boundNames(node.argument);
    case 'TSParameterProperty':
      return boundNames(node.parameter);
    default:
      return [];
  }
}

function isTestCall(callee: unknown): boolean {
  let node = callee as Node;
  for (;;) {
    if (node.type === 'CallExpression') node = node.callee as Node;
    else if (node.type === 'MemberExpression') node = node.object as Node;
    else return node.type === 'Identifier' && /^(it|test|describe)$/.test(node.name!);
  }
}

/** Texts for people contain spaces between words; identifiers, paths and formats do not. */
const isProse = (text: string) => /[a-z]{2,} [a-z]{2,}/i.test(text);
