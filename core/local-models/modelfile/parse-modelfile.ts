/** Reads a Modelfile: one instruction after the other, each with its value. */
import { INSTRUCTIONS, type Instruction, type InstructionName, ROLES } from './instructions.ts';

/** The text is no Modelfile; the message says where and why. */
export class ModelfileError extends Error {
  override name = 'ModelfileError';
}

const names: readonly string[] = INSTRUCTIONS;
const COMMANDS = `command must be one of ${list(INSTRUCTIONS.map((name) => JSON.stringify(name)))}`;

/** Throws `ModelfileError`. */
export function parseModelfile(text: string): Instruction[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const found: Instruction[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!.trim();
    if (line === '' || line.startsWith('#')) {
      at++;
      continue;
    }
    const { instruction, next } = readInstruction(lines, at);
    found.push(instruction);
    at = next;
  }
  if (!found.some(({ name }) => name === 'from')) throw new ModelfileError('no FROM line');
  return found;
}

function readInstruction(lines: string[], at: number): { instruction: Instruction; next: number } {
  const number = at + 1;
  const fail = (message: string) => new ModelfileError(`(line ${number}): ${message}`);
  const [, word = '', rest = ''] = /^\s*([a-z]*)(.*)$/is.exec(lines[at]!)!;
  const name = word.toLowerCase();
  if (!names.includes(name) || !/^[ \t]/.test(rest)) throw fail(COMMANDS);

  let value = rest;
  let subject: string | undefined;
  if (name === 'parameter' || name === 'message') {
    const [, first = '', remaining = ''] = /^\s*(\S*)(.*)$/s.exec(rest)!;
    subject = first;
    value = remaining;
    if (name === 'message' && !ROLES.includes(first)) {
      throw fail('message role must be one of "system", "user", or "assistant"');
    }
    if (name === 'parameter' && !/^\w+$/.test(first)) throw fail(`'${first}' is no name of a parameter`);
    if (value.trim() === '') throw fail(`${name} ${first} has no value`);
  }
  // A value goes on over the ends of lines until its quotes are closed.
  const pieces = [printable(value)];
  const quote = openingQuote(pieces[0]!);
  let next = at + 1;
  while (!isComplete(pieces, quote)) {
    if (next >= lines.length) {
      throw fail(`unexpected EOF: the value of ${word.toUpperCase()} lacks its closing quotes`);
    }
    pieces.push(printable(lines[next++]!));
  }
  const whole = pieces.join('\n').trim().slice(quote.length);
  value = quote === '' ? whole : whole.slice(0, -quote.length);
  return {
    instruction: { name: name as InstructionName, value, line: number, ...(subject && { subject }) },
    next,
  };
}

/** The quotes that a value begins with, `''` for a bare one. */
function openingQuote(text: string): string {
  return ['"""', '"'].find((quote) => text.trimStart().startsWith(quote)) ?? '';
}

/** Quotes count at the very ends only, so that three of them may hold single ones. */
function isComplete(pieces: string[], quote: string): boolean {
  if (!pieces.at(-1)!.trimEnd().endsWith(quote)) return false;
  return pieces.length > 1 || pieces[0]!.trim().length >= 2 * quote.length;
}

/** Control characters other than ends of lines and tabs are dropped: they come from editors, not from people. */
function printable(text: string): string {
  return text.replace(/[^\P{C}\n\t]/gu, '');
}

function list(words: string[]): string {
  return `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`;
}
