/**
 * A JSON parser that loses nothing and fails as Go's encoding/json does. Numbers keep their text, members keep their order
 * and duplicates, and every value knows its place. Only the first value of a text is read.
 */
import {
  type JsonArrayNode,
  type JsonDocument,
  JsonEmptyError,
  type JsonNode,
  type JsonObjectNode,
  JsonSyntaxError,
} from './json-nodes.ts';
import { syntaxError } from './syntax-error.ts';

/** The depth limit of Go's encoding/json. */
const DEFAULT_MAX_DEPTH = 10_000;
/** The depth limit for values that recursive functions walk later. Real schemas in requests are never that deep. */
export const MAX_JSON_NESTING = 500;

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Characters of a string other than quotes, backslashes and control characters. */
const UNESCAPED = /[\x20\x21\x23-\x5b\x5d-\uffff]*/y;
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

class JsonScanner {
  /** The offset of the next character. */
  at = 0;
  constructor(
    readonly source: string,
    readonly maxDepth: number,
  ) {}

  fail(context: string, position = this.at): never {
    throw syntaxError(this.source, position, context);
  }

  skipSpace(): void {
    for (;;) {
      const code = this.source.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at++;
    }
  }

  /** The next character that is no white space, or '' at the end. */
  peek(): string {
    this.skipSpace();
    return this.source[this.at] ?? '';
  }

  /** Reads a string from its opening quote on. Lone surrogates become U+FFFD, as in Go. */
  string(): string {
    this.at++;
    let text = '';
    for (;;) {
      UNESCAPED.lastIndex = this.at;
      const unescaped = UNESCAPED.exec(this.source)![0];
      text += unescaped;
      this.at += unescaped.length;
      const character = this.source[this.at];
      if (character === '"') {
        this.at++;
        return text.replace(LONE_SURROGATE, '\ufffd');
      }
      if (character !== '\\') this.fail('in string literal');
      text += this.escape();
    }
  }

  /** Reads an escape from its backslash on. */
  escape(): string {
    const character = this.source[++this.at] ?? '';
    if (character === 'u') {
      for (let i = 1; i <= 4; i++) {
        if (!/[0-9a-fA-F]/.test(this.source[this.at + i] ?? ''))
          this.fail('in \\u hexadecimal character escape', this.at + i);
      }
      const code = Number.parseInt(this.source.slice(this.at + 1, this.at + 5), 16);
      this.at += 5;
      return String.fromCharCode(code);
    }
    const unescaped = ESCAPES[character];
    if (unescaped === undefined) this.fail('in string escape code');
    this.at++;
    return unescaped;
  }

  /** Reads a number and returns its text. Go names the part of a number that is incomplete. */
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
      const signLength = /[+-]/.test(this.source[end + 1] ?? '') ? 1 : 0;
      this.fail('in exponent of numeric literal', end + 1 + signLength);
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

  scalar(first: string): JsonNode {
    const start = this.at;
    if (first === '"') {
      const value = this.string();
      return { type: 'string', value, start, end: this.at };
    }
    if (first === '-' || (first >= '0' && first <= '9')) {
      const text = this.number();
      return { type: 'number', text, start, end: this.at };
    }
    if (!Object.hasOwn(LITERALS, first)) this.fail('looking for beginning of value');
    const word = this.literal(first);
    return word === 'null'
      ? { type: 'null', start, end: this.at }
      : { type: 'bool', value: word === 'true', start, end: this.at };
  }

  /** Reads the key of a member and the colon after it. */
  key(): string {
    if (this.peek() !== '"') this.fail('looking for beginning of object key string');
    const key = this.string();
    if (this.peek() !== ':') this.fail('after object key');
    this.at++;
    return key;
  }

  /** Reads a value. A loop in place of recursion: deep nesting ends in Go's error instead of a stack overflow. */
  value(): JsonNode {
    const open: OpenContainer[] = [];
    for (;;) {
      const first = this.peek();
      let value: JsonNode | undefined;
      if (first === '{' || first === '[') {
        if (open.length >= this.maxDepth) throw new JsonSyntaxError('exceeded max depth', this.at);
        value = this.openContainer(first, open);
        if (!value) continue;
      } else value = this.scalar(first);
      const root = this.addToParents(value, open);
      if (root) return root;
    }
  }

  /** Begins an object or array. Returns it when it is empty, and otherwise pushes it on `open`. */
  openContainer(bracket: '{' | '[', open: OpenContainer[]): JsonNode | undefined {
    const start = this.at++;
    const node: JsonObjectNode | JsonArrayNode =
      bracket === '{'
        ? { type: 'object', members: [], start, end: 0 }
        : { type: 'array', items: [], start, end: 0 };
    if (this.peek() !== (bracket === '{' ? '}' : ']')) {
      open.push({ node, key: node.type === 'object' ? this.key() : '' });
      return undefined;
    }
    node.end = ++this.at;
    return node;
  }

  /** Adds a complete value to its container and closes the containers that end here. Returns the root when it is closed. */
  addToParents(value: JsonNode, open: OpenContainer[]): JsonNode | undefined {
    let complete = value;
    for (;;) {
      const parent = open.at(-1);
      if (!parent) return complete;
      const { node } = parent;
      if (node.type === 'object') node.members.push([parent.key, complete]);
      else node.items.push(complete);
      const next = this.peek();
      if (next === ',') {
        this.at++;
        if (node.type === 'object') parent.key = this.key();
        return undefined;
      }
      if (next !== (node.type === 'object' ? '}' : ']'))
        this.fail(node.type === 'object' ? 'after object key:value pair' : 'after array element');
      node.end = ++this.at;
      open.pop();
      complete = node;
    }
  }
}

/** An object or array that is not closed yet, and the key of its current member. */
interface OpenContainer {
  node: JsonObjectNode | JsonArrayNode;
  key: string;
}

/**
 * Parses the first JSON value of `source`. Text after that value is ignored.
 * @param maxDepth how deeply containers may nest
 * @throws JsonEmptyError for a text without a value
 * @throws JsonSyntaxError with Go's message
 */
export function parseJson(source: string, maxDepth = DEFAULT_MAX_DEPTH): JsonDocument {
  const scanner = new JsonScanner(source, maxDepth);
  if (scanner.peek() === '') throw new JsonEmptyError('EOF', source.length);
  return { source, root: scanner.value() };
}
