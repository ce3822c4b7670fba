/** A part of a prompt and its weight; 1 is neutral. */
export interface WeightedText {
  text: string;
  weight: number;
}

const WEIGHT_PER_LEVEL = 1.1;

/**
 * Splits a prompt by its weights. Each pair of parentheses multiplies the weight by 1.1, and `(text:1.3)` sets it to 1.3.
 * Parentheses after a backslash belong to the text, and so do those that do not close. Square brackets have no meaning.
 */
export function parsePromptWeights(prompt: string): WeightedText[] {
  const parts: WeightedText[] = [];
  addParts(prompt, 1, parts);
  return parts.map(({ text, weight }) => ({ text: unescaped(text), weight }));
}

/** Removes the backslashes before parentheses. */
export const unescaped = (text: string): string => text.replace(/\\([()])/g, '$1');

function addParts(text: string, weight: number, parts: WeightedText[]): void {
  for (const section of splitParentheses(text)) {
    if (!section.isNested) {
      parts.push({ text: section.text, weight });
      continue;
    }
    const colon = section.text.lastIndexOf(':');
    const explicit = colon > 0 ? parseWeight(section.text.slice(colon + 1)) : undefined;
    if (explicit === undefined) addParts(section.text, weight * WEIGHT_PER_LEVEL, parts);
    else addParts(section.text.slice(0, colon), explicit, parts);
  }
}

interface Section {
  text: string;
  /** The section was in parentheses, which are removed. */
  isNested: boolean;
}

/** Splits a text into the sections outside and inside of its outermost parentheses. */
function splitParentheses(text: string): Section[] {
  const sections: Section[] = [];
  let current = '';
  let depth = 0;
  const flush = (isNested: boolean) => {
    if (current !== '' || isNested) sections.push({ text: current, isNested });
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
  return sections;
}

function parseWeight(text: string): number | undefined {
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : undefined;
}
