/**
 * A JSON reader that loses nothing and fails as Go's encoding/json does: numbers keep their text, members keep their
 * order and duplicates, every value knows where it stands, and only the first value of a text is read.
 */
import { syntaxError } from './syntax-error.ts';

interface Span {
  /** UTF-16 offsets into the source. */
  start: number;
  end: number;
}
export interface JsonObject extends Span {
  type: 'object';
  members: [key: string, value: JsonNode][];
}
export interface JsonArray extends Span {
  type: 'array';
  items: JsonNode[];
}
export type JsonNode =
  | JsonObject
  | JsonArray
  | (Span & { type: 'string'; value: string })
  | (Span & { type: 'number'; text: string })
  | (Span & { type: 'bool'; value: boolean })
  | (Span & { type: 'null' });

export interface JsonDocument {
  source: string;
  root: JsonNode;
}

/** The text cannot be read; `message` is Go's. */
export class JsonSyntaxError extends Error {
  override name = 'JsonSyntaxError';
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(message);
  }
}
/** There is no value at all: only white space. */
export class JsonEmptyError extends JsonSyntaxError {
  override name = 'JsonEmptyError';
}

const MAX_DEPTH = 10_000;
/** For values that are walked by recursion later; no honest schema comes near. */
export const MAX_JSON_NESTING = 500;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Everything but quotes, backslashes and control characters. */
const PLAIN = /[\x20\x21\x23-\x5b\x5d-\uffff]*/y;
const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const LITERALS: Record<string, string> = { t: 'true', f: 'false', n: 'null' };
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

class Reader {
  at = 0;
  constructor(
    readonly source: string,
    readonly maxDepth: number,
  ) {}

  fail(context: string, position = this.at): never {
    throw syntaxError(this.source, position, context);
  }
  space(): void {
    for (;;) {
      const c = this.source.charCodeAt(this.at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
      this.at++;
    }
  }
  /** The next character that is not white space. */
  peek(): string {
    this.space();
    return this.source[this.at] ?? '';
  }

  string(): string {
    this.at++;
    let text = '';
    for (;;) {
      PLAIN.lastIndex = this.at;
      const plain = PLAIN.exec(this.source)![0];
      text += plain;
      this.at += plain.length;
      const c = this.source[this.at];
      if (c === '"') {
        this.at++;
        return text.replace(LONE_SURROGATE, '\ufffd');
      }
      if (c !== '\\') this.fail('in string literal');
      text += this.escape();
    }
  }
  escape(): string {
    const c = this.source[++this.at] ?? '';
    if (c === 'u') {
      for (let i = 1; i <= 4; i++) {
        if (!/[0-9a-fA-F]/.test(this.source[this.at + i] ?? ''))
          this.fail('in \\u hexadecimal character escape', this.at + i);
      }
      const code = Number.parseInt(this.source.slice(this.at + 1, this.at + 5), 16);
      this.at += 5;
      return String.fromCharCode(code);
    }
    const plain = ESCAPES[c];
    if (plain === undefined) this.fail('in string escape code');
    this.at++;
    return plain;
  }

  number(): string {
    NUMBER.lastIndex = this.at;
    const text = NUMBER.exec(this.source)?.[0] ?? '';
    const end = this.at + text.length;
    if (!text) this.fail('in numeric literal', this.at + 1);
    const next = this.source[end];
    const hasExponent = /[eE]/.test(text);
    if (next === '.' && !hasExponent && !text.includes('.'))
      this.fail('after decimal point in numeric literal', end + 1);
    if ((next === 'e' || next === 'E') && !hasExponent) {
      const sign = /[+-]/.test(this.source[end + 1] ?? '') ? 1 : 0;
      this.fail('in exponent of numeric literal', end + 1 + sign);
    }
    this.at = end;
    return text;
  }

  literal(first: string): string {
    const word = LITERALS[first]!;
    for (let i = 1; i < word.length; i++) {
      if (this.source[this.at + i] !== word[i])
        this.fail(`in literal ${word} (expecting '${word[i]}')`, this.at + i);
    }
    this.at += word.length;
    return word;
  }

  scalar(c: string): JsonNode {
    const start = this.at;
    if (c === '"') {
      const value = this.string();
      return { type: 'string', value, start, end: this.at };
    }
    if (c === '-' || (c >= '0' && c <= '9')) {
      const text = this.number();
      return { type: 'number', text, start, end: this.at };
    }
    if (!Object.hasOwn(LITERALS, c)) this.fail('looking for beginning of value');
    const word = this.literal(c);
    return word === 'null'
      ? { type: 'null', start, end: this.at }
      : { type: 'bool', value: word === 'true', start, end: this.at };
  }

  /** Reads the key of a member up to and with its colon. */
  key(): string {
    if (this.peek() !== '"') this.fail('looking for beginning of object key string');
    const key = this.string();
    if (this.peek() !== ':') this.fail('after object key');
    this.at++;
    return key;
  }

  /** Iterative, so that deep nesting ends in Go's error and not in a full stack. */
  value(): JsonNode {
    const open: { node: JsonObject | JsonArray; key: string }[] = [];
    for (;;) {
      let done: JsonNode | undefined;
      const c = this.peek();
      if (c === '{' || c === '[') {
        if (open.length >= this.maxDepth) throw new JsonSyntaxError('exceeded max depth', this.at);
        const start = this.at++;
        const node: JsonObject | JsonArray =
          c === '{'
            ? { type: 'object', members: [], start, end: 0 }
            : { type: 'array', items: [], start, end: 0 };
        const empty = this.peek() === (c === '{' ? '}' : ']');
        if (!empty) {
          open.push({ node, key: node.type === 'object' ? this.key() : '' });
          continue;
        }
        node.end = ++this.at;
        done = node;
      } else done = this.scalar(c);

      // Hands the finished value to its parents, closing as many as end here.
      for (;;) {
        const parent = open.at(-1);
        if (!parent) return done;
        const { node } = parent;
        if (node.type === 'object') node.members.push([parent.key, done]);
        else node.items.push(done);
        const next = this.peek();
        if (next === ',') {
          this.at++;
          if (node.type === 'object') parent.key = this.key();
          break;
        }
        if (next !== (node.type === 'object' ? '}' : ']'))
          this.fail(node.type === 'object' ? 'after object key:value pair' : 'after array element');
        node.end = ++this.at;
        open.pop();
        done = node;
      }
    }
  }
}

/**
 * Reads the first JSON value of `source`; what follows it is not looked at. Throws JsonSyntaxError; also for more than
 * `maxDepth` values within one another, 10,000 as in Go.
 */
export function parseJson(source: string, maxDepth = MAX_DEPTH): JsonDocument {
  const reader = new Reader(source, maxDepth);
  if (reader.peek() === '') throw new JsonEmptyError('EOF', source.length);
  return { source, root: reader.value() };
}

/** As a plain value: numbers become doubles, of duplicate keys the last wins. */
export function toPlainValue(node: JsonNode): unknown {
  switch (node.type) {
    case 'object':
      return toPlainObject(node);
    case 'array':
      return node.items.map(toPlainValue);
    case 'number':
      return Number(node.text);
    case 'null':
      return null;
    default:
      return node.value;
  }
}

export function toPlainObject(node: JsonObject): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [key, value] of node.members) {
    // `__proto__` must become a member like any other.
    Object.defineProperty(record, key, {
      value: toPlainValue(value),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return record;
}
