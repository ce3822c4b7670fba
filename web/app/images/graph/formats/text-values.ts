/** Text substitutions that ComfyUI's editor makes before a run or an export. The server sees the results. */
import type { Graph, GraphNode } from '#web/app/graph-editor/graph/graph.ts';
import { isJsonObject, type JsonValue, printExactJson } from '#web/app/graph-editor/graph/value.ts';

/** Removes comments and replaces each `{a|b}` by a random alternative. `\{` and `\}` are plain braces. */
export function pickAlternatives(text: string, random: () => number = Math.random): string {
  const plain = text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
  const { text: chosen } = readText(plain, 0, false, random);
  return chosen;
}

interface ParsedText {
  text: string;
  end: number;
}

function readText(text: string, from: number, isInside: boolean, random: () => number): ParsedText {
  const parts: string[] = [''];
  let at = from;
  while (at < text.length) {
    const char = text[at]!;
    const next = text[at + 1];
    if (char === '\\' && (next === '{' || next === '}' || next === '|')) {
      parts[parts.length - 1] += next;
      at += 2;
    } else if (char === '{' && closes(text, at)) {
      const inner = readText(text, at + 1, true, random);
      parts[parts.length - 1] += inner.text;
      at = inner.end;
    } else if (isInside && char === '|') {
      parts.push('');
      at += 1;
    } else if (isInside && char === '}') {
      return { text: parts[Math.floor(random() * parts.length)]!, end: at + 1 };
    } else {
      parts[parts.length - 1] += char;
      at += 1;
    }
  }
  return { text: parts.join('|'), end: at };
}

/** Whether an opening brace has a closing one. Without it the brace is a plain character. */
function closes(text: string, from: number): boolean {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') depth += 1;
    else if (text[at] === '}' && --depth === 0) return true;
  }
  return false;
}

/** Replaces `%date:yyyy-MM-dd%` and `%Node.field%`. Other names stay, because the server replaces some itself. */
export function fillFileName(text: string, graph: Graph, now = new Date()): string {
  return text.replace(/%([^%]+)%/g, (placeholder, name: string) => {
    if (name.startsWith('date:')) return dateText(name.slice(5), now);
    const [node, field, ...more] = name.split('.');
    if (node === undefined || field === undefined || more.length > 0) return placeholder;
    const found = [...graph.nodes.values()].find((each) => searchName(each) === node || each.title === node);
    const value = found?.values[field];
    if (value === undefined) return placeholder;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are invalid in file names
    return asText(value).replace(/[/?<>\\:*|"\x00-\x1f\x7f]/g, '_');
  });
}

function searchName({ extraFields, type }: GraphNode): string {
  const name = isJsonObject(extraFields?.properties)
    ? extraFields.properties['Node name for S&R']
    : undefined;
  return typeof name === 'string' ? name : type;
}

const asText = (value: JsonValue): string => (typeof value === 'string' ? value : printExactJson(value));

function dateText(format: string, now: Date): string {
  const parts: Record<string, number> = {
    d: now.getDate(),
    M: now.getMonth() + 1,
    h: now.getHours(),
    m: now.getMinutes(),
    s: now.getSeconds(),
  };
  return format.replace(/yyyy|yy|dd?|MM?|hh?|mm?|ss?/g, (part) =>
    part.startsWith('y')
      ? String(now.getFullYear()).slice(-part.length)
      : String(parts[part[0]!]).padStart(part.length, '0'),
  );
}
