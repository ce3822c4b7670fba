/** Parses the code of a Code node before it runs: what it uses, and syntax errors in the words of browsers and Node. */
import { type Node, parse, tokenizer, tokTypes } from 'acorn';
import { type ScopeUses, usesOf } from '../expressions/compile.ts';

const OPTIONS = {
  ecmaVersion: 'latest',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
} as const;

type CodeSyntax = { uses: ScopeUses } | { syntaxError: string };

const cache = new Map<string, CodeSyntax>();
const MAX_CACHED = 500;

/** @param code the body of an async function */
export function parseCode(code: string): CodeSyntax {
  let syntax = cache.get(code);
  if (!syntax) {
    syntax = parseUncached(code);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(code, syntax);
  }
  return syntax;
}

function parseUncached(code: string): CodeSyntax {
  try {
    return { uses: usesOf(parse(code, OPTIONS) as Node) };
  } catch (error) {
    const { message, pos = 0 } = error as Error & { pos?: number };
    return { syntaxError: engineMessage(code, pos, message) };
  }
}

/** The message that V8 has for a syntax error that acorn found at a position. */
function engineMessage(code: string, position: number, message: string): string {
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
