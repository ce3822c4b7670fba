/** A part of a prompt, and how much it counts. */
export interface WeightedText {
  text: string;
  weight: number;
}

const PER_LEVEL = 1.1;

/**
 * Reads `(text)` as 1.1 times as much for each pair of brackets and `(text:1.3)` as 1.3, whatever stands around it. `\(`
 * and `\)` are brackets of the text; square ones mean nothing. Brackets that do not close are text.
 */
export function parsePromptWeights(prompt: string): WeightedText[] {
  const parts: WeightedText[] = [];
  read(prompt, 1, parts);
  return parts.map(({ text, weight }) => ({ text: text.replace(/\\([()])/g, '$1'), weight }));
}

function read(text: string, weight: number, parts: WeightedText[]): void {
  for (const piece of pieces(text)) {
    if (!piece.bracketed) {
      parts.push({ text: piece.text, weight });
      continue;
    }
    const colon = piece.text.lastIndexOf(':');
    const said = colon > 0 ? numberOf(piece.text.slice(colon + 1)) : undefined;
    if (said === undefined) read(piece.text, weight * PER_LEVEL, parts);
    else read(piece.text.slice(0, colon), said, parts);
  }
}

/** Text between the outermost brackets, and in them. */
function pieces(text: string): { text: string; bracketed: boolean }[] {
  const found: { text: string; bracketed: boolean }[] = [];
  let current = '';
  let depth = 0;
  const flush = (bracketed: boolean) => {
    if (current !== '' || bracketed) found.push({ text: current, bracketed });
    current = '';
  };
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]!;
    if (letter === '\\' && (text[i + 1] === '(' || text[i + 1] === ')')) {
      current += letter + text[++i];
    } else if (letter === '(') {
      if (depth++ === 0) flush(false);
      else current += letter;
    } else if (letter === ')' && depth > 0) {
      if (--depth === 0) flush(true);
      else current += letter;
    } else current += letter;
  }
  if (depth > 0) current = `(${current}`;
  flush(false);
  return found;
}

function numberOf(text: string): number | undefined {
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : undefined;
}
