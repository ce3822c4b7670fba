/** Splits texts into pieces of a size, at the largest separators that the pieces allow. */
import type { JsonObject } from '#core/workflow-format';
import type { TextDocument } from '../../../node-api/sub-nodes.ts';

export interface SplitOptions {
  /** The largest length of a piece, by `length`. */
  size: number;
  /** How much of a piece the next one repeats. */
  overlap: number;
  length?(text: string): number;
  /** Whether a separator stays with the piece after it. Default true. */
  keepsSeparator?: boolean;
}

/** The separators of texts without a known language, largest first. */
const SEPARATORS = ['\n\n', '\n', ' ', ''];

/** Splits at paragraphs, then at lines, words and characters. */
export function splitRecursively(text: string, options: SplitOptions, separators = SEPARATORS): string[] {
  const at = Math.max(
    0,
    separators.findIndex((separator) => separator === '' || text.includes(separator)),
  );
  const separator = separators[at] ?? '';
  const smaller = separator === '' ? [] : separators.slice(at + 1);
  const keeps = options.keepsSeparator !== false && separator !== '';
  const parts = keeps
    ? keepingSeparator(text, separator)
    : text.split(separator).filter((part) => part !== '');
  const pieces: string[] = [];
  let short: string[] = [];
  const { length = lengthOf, keepsSeparator = true } = options;
  const joint = keepsSeparator ? '' : separator;
  for (const part of parts) {
    if (length(part) < options.size) {
      short.push(part);
      continue;
    }
    pieces.push(...merged(short, joint, options));
    short = [];
    if (smaller.length === 0) pieces.push(part);
    else pieces.push(...splitRecursively(part, options, smaller));
  }
  return [...pieces, ...merged(short, joint, options)];
}

/** Splits at one separator, which is left out at the ends of pieces. */
export function splitAt(text: string, separator: string, options: SplitOptions): string[] {
  const parts = text.split(separator).filter((part) => part !== '');
  return merged(parts, separator, options);
}

function keepingSeparator(text: string, separator: string): string[] {
  const parts = text.split(separator);
  return parts.map((part, index) => (index === 0 ? part : separator + part)).filter((part) => part !== '');
}

const lengthOf = (text: string) => text.length;

/** Joins parts to pieces that are as long as allowed. */
function merged(
  parts: string[],
  separator: string,
  { size, overlap, length = lengthOf }: SplitOptions,
): string[] {
  const pieces: string[] = [];
  const current: string[] = [];
  let total = 0;
  const push = () => {
    const piece = current.join(separator).trim();
    if (piece !== '') pieces.push(piece);
  };
  for (const part of parts) {
    const own = length(part);
    const isTooLong = () => total + own + current.length * separator.length > size;
    if (isTooLong() && current.length > 0) {
      push();
      while (total > overlap || (isTooLong() && total > 0)) total -= length(current.shift()!);
    }
    current.push(part);
    total += own;
  }
  push();
  return pieces;
}

/** A document for each piece, with its lines in the text. */
export function piecesWithLines(text: string, pieces: string[], metadata: JsonObject): TextDocument[] {
  let line = 1;
  let previous: { start: number; end: number } | undefined;
  return pieces.map((pageContent) => {
    const start = text.indexOf(pageContent, (previous?.start ?? -1) + 1);
    const from = previous?.end ?? 0;
    line += start >= from ? newLines(text.slice(from, start)) : -newLines(text.slice(start, from));
    const to = line + newLines(pageContent);
    const document = { pageContent, metadata: { ...metadata, loc: { lines: { from: line, to } } } };
    line = to;
    previous = { start, end: start + pageContent.length };
    return document;
  });
}

function newLines(text: string): number {
  return text.split('\n').length - 1;
}
