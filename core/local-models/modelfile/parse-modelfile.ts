import { INSTRUCTIONS, type Instruction, type InstructionName, ROLES } from './instructions.ts';

/** The text is no valid Modelfile. The message says where and why. */
export class ModelfileError extends Error {
  override name = 'ModelfileError';
}

const names: readonly string[] = INSTRUCTIONS;
const COMMANDS = `command must be one of ${list(INSTRUCTIONS.map((name) => JSON.stringify(name)))}`;

/**
 * Parses a Modelfile into its instructions, in their order.
 * @throws ModelfileError
 */
export function parseModelfile(text: string): Instruction[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const instructions: Instruction[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!.trim();
    if (line === '' || line.startsWith('#')) {
      at++;
      continue;
    }
    const { instruction, next } = readInstruction(lines, at);
    instructions.push(instruction);
    at = next;
  }
  if (!instructions.some(({ name }) => name === 'from')) throw new ModelfileError('no FROM line');
  return instructions;
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
  // A value continues over the ends of lines until its quotes are closed.
  const pieces = [printable(value)];
  const quote = openingQuote(pieces[0]!);
  let next = at + 1;
  while (!isComplete(pieces, quote)) {
    if (next >= lines.length) {
      throw fail(`unexpected EOF: the value of ${word.toUpperCase()} lacks its closing quotes`);
    }
    pieces.push(printable(lines[next++]!));
  }
  const unopened = pieces.join('\n').trim().slice(quote.length);
  value = quote === '' ? unopened : unopened.slice(0, -quote.length);
  return {
    instruction: { name: name as InstructionName, value, line: number, ...(subject && { subject }) },
    next,
  };
}

/** The quotes at the beginning of a value. The empty text for a value without quotes. */
function openingQuote(text: string): string {
  return ['"""', '"'].find((quote) => text.trimStart().startsWith(quote)) ?? '';
}

/** Whether the value's quotes are closed. Only quotes at its very end count: triple quotes may contain single ones. */
function isComplete(pieces: string[], quote: string): boolean {
  if (!pieces.at(-1)!.trimEnd().endsWith(quote)) return false;
  return pieces.length > 1 || pieces[0]!.trim().length >= 2 * quote.length;
}

/** Removes the control characters that some editors write; line feeds and tabs remain. */
function printable(text: string): string {
  return text.replace(/[^\P{C}\n\t]/gu, '');
}

function list(words: string[]): string {
  return `${words.slice(0, -1).join(', ')}, or ${words.at(-1)}`;
}
