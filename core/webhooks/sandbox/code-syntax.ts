/** Looks at the code of a Code node before it is run: what it uses, and mistakes told as browsers and Node tell them. */
import { type Node, parse, tokenizer, tokTypes } from 'acorn';
import { type Uses, usesOf } from '../expressions/compile.ts';

const OPTIONS = {
  ecmaVersion: 'latest',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
} as const;

export type CodeSyntax = { uses: Uses } | { mistake: string; line: number };

const cache = new Map<string, CodeSyntax>();
const MOST_CACHED = 500;

export function readCode(code: string): CodeSyntax {
  let known = cache.get(code);
  if (!known) {
    known = readNew(code);
    if (cache.size >= MOST_CACHED) cache.clear();
    cache.set(code, known);
  }
  return known;
}

function readNew(code: string): CodeSyntax {
  try {
    return { uses: usesOf(parse(code, OPTIONS) as Node) };
  } catch (error) {
    const { message, pos = 0, loc } = error as Error & { pos?: number; loc?: { line: number } };
    return { mistake: mistakeAt(code, pos, message), line: loc?.line ?? 1 };
  }
}

function mistakeAt(code: string, position: number, message: string): string {
  const plain = message.replace(/ \(\d+:\d+\)$/, '');
  if (!/^Unexpected token/.test(plain)) return plain;
  if (code.slice(position).trim() === '') return 'Unexpected end of input';
  try {
    const token = tokenizer(code.slice(position), OPTIONS).getToken();
    if (token.type === tokTypes.name)
      return `Unexpected identifier '${code.slice(position + token.start, position + token.end)}'`;
    if (token.type === tokTypes.num) return 'Unexpected number';
    if (token.type === tokTypes.string) return 'Unexpected string';
    return `Unexpected token '${code.slice(position + token.start, position + token.end)}'`;
  } catch {
    return 'Invalid or unexpected token';
  }
}
