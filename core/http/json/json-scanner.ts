/**
 * A scanner of JSON that fails as Go's encoding/json does. A builder makes the values, so one scanner serves all forms of
 * them. It runs in steps, because no body of a caller may keep the event loop.
 */
import type { Steps } from '#core/base';
import { JsonSyntaxError } from './json-nodes.ts';
import { syntaxError } from './syntax-error.ts';

/** Makes the values of JSON. `start` and `end` are UTF-16 offsets into the text. */
export interface JsonBuilder<Value, ObjectValue extends Value, ArrayValue extends Value> {
  /** Strings and keys may hold lone surrogates. */
  string(value: string, start: number, end: number): Value;
  /** @param text as it was written */
  number(text: string, start: number, end: number): Value;
  literal(value: boolean | null, start: number, end: number): Value;
  object(start: number): ObjectValue;
  array(start: number): ArrayValue;
  /** Adds a member, which may repeat an earlier key. */
  member(object: ObjectValue, key: string, value: Value): void;
  item(array: ArrayValue, value: Value): void;
  /** The container ends before `end`. */
  close(container: ObjectValue | ArrayValue, end: number): void;
}

/** Characters between two steps, but for the digits of a number: about a millisecond of work. */
export const JSON_STEP = 32 * 1024;
/** The message of the error for containers within too many others. */
export const TOO_DEEP = 'exceeded max depth';

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

type Open<ObjectValue, ArrayValue> =
  | { isObject: true; value: ObjectValue; key: string }
  | { isObject: false; value: ArrayValue };

/** A place before a value, and brackets that lead there: `[{"":` */
export interface JsonCheckpoint {
  at: number;
  path: string;
}

/** Scans the first value of a text. Text after it is not looked at. */
export class JsonScanner<Value, ObjectValue extends Value, ArrayValue extends Value> {
  /** The offset of the next character. */
  at = 0;
  /** Two places before values, a step apart: the text from the first one on fails as the whole text does. */
  checkpoints: [JsonCheckpoint, JsonCheckpoint] = [
    { at: 0, path: '' },
    { at: 0, path: '' },
  ];
  readonly #open: Open<ObjectValue, ArrayValue>[] = [];
  #root: Value | undefined;

  constructor(
    private readonly source: string,
    private readonly builder: JsonBuilder<Value, ObjectValue, ArrayValue>,
    private readonly maxDepth: number,
  ) {}

  /**
   * Reads the value. A loop in place of recursion: deep nesting ends in an error instead of a stack overflow.
   * @throws JsonSyntaxError with Go's message
   */
  *value(): Steps<Value> {
    let pause = this.at + JSON_STEP;
    for (;;) {
      if (this.at >= pause) {
        yield;
        pause = this.at + JSON_STEP;
        this.#mark();
      }
      const first = yield* this.peek();
      let value: Value;
      if (first === '{' || first === '[') {
        if (this.#open.length >= this.maxDepth) throw new JsonSyntaxError(TOO_DEEP, this.at);
        const container = yield* this.#openContainer(first);
        if (container === undefined) continue;
        value = container;
      } else if (first === '"') {
        const start = this.at;
        const text = this.#shortString() ?? (yield* this.#string());
        value = this.builder.string(text, start, this.at);
      } else value = this.#scalar(first);
      if (yield* this.#add(value)) return this.#root as Value;
    }
  }

  /** The next character that is no white space, or '' at the end. */
  *peek(): Steps<string> {
    for (let pause = this.at + JSON_STEP; ; this.at++) {
      const code = this.source.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return this.source[this.at] ?? '';
      if (this.at >= pause) {
        yield;
        pause = this.at + JSON_STEP;
      }
    }
  }

  #mark(): void {
    const path = this.#open.map(({ isObject }) => (isObject ? '{"":' : '[')).join('');
    this.checkpoints = [this.checkpoints[1], { at: this.at, path }];
  }

  #fail(context: string, position = this.at): never {
    throw syntaxError(this.source, position, context);
  }

  /** Begins an object or array. Returns it when it is empty, and otherwise leaves it open. */
  *#openContainer(bracket: '{' | '['): Steps<Value | undefined> {
    const start = this.at++;
    const isObject = bracket === '{';
    const value = isObject ? this.builder.object(start) : this.builder.array(start);
    if ((yield* this.peek()) === (isObject ? '}' : ']')) {
      this.builder.close(value, ++this.at);
      return value;
    }
    if (isObject) this.#open.push({ isObject, value: value as ObjectValue, key: yield* this.#key() });
    else this.#open.push({ isObject, value: value as ArrayValue });
    return undefined;
  }

  /** Adds a complete value to its container and closes the containers that end here. True: the root is complete. */
  *#add(added: Value): Steps<boolean> {
    let complete = added;
    for (;;) {
      const parent = this.#open.at(-1);
      if (!parent) {
        this.#root = complete;
        return true;
      }
      if (parent.isObject) this.builder.member(parent.value, parent.key, complete);
      else this.builder.item(parent.value, complete);
      const next = yield* this.peek();
      if (next === ',') {
        this.at++;
        if (parent.isObject) parent.key = yield* this.#key();
        return false;
      }
      if (next !== (parent.isObject ? '}' : ']'))
        this.#fail(parent.isObject ? 'after object key:value pair' : 'after array element');
      this.builder.close(parent.value, ++this.at);
      this.#open.pop();
      complete = parent.value;
    }
  }

  /** Reads the key of a member and the colon after it. */
  *#key(): Steps<string> {
    if ((yield* this.peek()) !== '"') this.#fail('looking for beginning of object key string');
    const key = this.#shortString() ?? (yield* this.#string());
    if ((yield* this.peek()) !== ':') this.#fail('after object key');
    this.at++;
    return key;
  }

  /** Reads a short string without escapes from its opening quote on. Undefined: it is another one. */
  #shortString(): string | undefined {
    const start = this.at + 1;
    const limit = Math.min(this.source.length, start + 256);
    for (let at = start; at < limit; at++) {
      const code = this.source.charCodeAt(at);
      if (code === 0x22) {
        this.at = at + 1;
        return this.source.slice(start, at);
      }
      if (code === 0x5c || code < 0x20) return undefined;
    }
    return undefined;
  }

  /** Reads a string from its opening quote on. */
  *#string(): Steps<string> {
    this.at++;
    const parts: string[] = [];
    let pause = this.at + JSON_STEP;
    for (;;) {
      if (this.at >= pause) {
        yield;
        pause = this.at + JSON_STEP;
      }
      // A part of the text: the pattern would run to the end of a long string otherwise.
      UNESCAPED.lastIndex = 0;
      const unescaped = UNESCAPED.exec(this.source.slice(this.at, this.at + JSON_STEP))![0];
      this.at += unescaped.length;
      if (unescaped !== '') parts.push(unescaped);
      if (unescaped.length === JSON_STEP) continue;
      const character = this.source[this.at];
      if (character === '"') {
        this.at++;
        return parts.join('');
      }
      if (character !== '\\') this.#fail('in string literal');
      this.#escapes(parts);
    }
  }

  /** Reads the escapes from here on, up to a step's work. */
  #escapes(parts: string[]): void {
    let text = '';
    const end = this.at + JSON_STEP;
    while (this.source[this.at] === '\\' && this.at < end) text += this.#escape();
    parts.push(text);
  }

  /** Reads an escape from its backslash on. */
  #escape(): string {
    const character = this.source[++this.at] ?? '';
    if (character === 'u') {
      for (let i = 1; i <= 4; i++) {
        if (!/[0-9a-fA-F]/.test(this.source[this.at + i] ?? ''))
          this.#fail('in \\u hexadecimal character escape', this.at + i);
      }
      const code = Number.parseInt(this.source.slice(this.at + 1, this.at + 5), 16);
      this.at += 5;
      return String.fromCharCode(code);
    }
    const unescaped = ESCAPES[character];
    if (unescaped === undefined) this.#fail('in string escape code');
    this.at++;
    return unescaped;
  }

  #scalar(first: string): Value {
    const start = this.at;
    if (first === '-' || (first >= '0' && first <= '9')) {
      const text = this.#number();
      return this.builder.number(text, start, this.at);
    }
    if (!Object.hasOwn(LITERALS, first)) this.#fail('looking for beginning of value');
    const word = this.#literal(first);
    return this.builder.literal(word === 'null' ? null : word === 'true', start, this.at);
  }

  /** Reads a number and returns its text. Go names the part of a number that is incomplete. */
  #number(): string {
    NUMBER.lastIndex = this.at;
    const text = NUMBER.exec(this.source)?.[0] ?? '';
    const end = this.at + text.length;
    if (!text) this.#fail('in numeric literal', this.at + 1);
    const next = this.source[end];
    const hasExponent = /[eE]/.test(text);
    if (next === '.' && !hasExponent && !text.includes('.'))
      this.#fail('after decimal point in numeric literal', end + 1);
    if ((next === 'e' || next === 'E') && !hasExponent) {
      const signLength = /[+-]/.test(this.source[end + 1] ?? '') ? 1 : 0;
      this.#fail('in exponent of numeric literal', end + 1 + signLength);
    }
    this.at = end;
    return text;
  }

  #literal(first: string): string {
    const word = LITERALS[first]!;
    for (let i = 1; i < word.length; i++) {
      if (this.source[this.at + i] !== word[i])
        this.#fail(`in literal ${word} (expecting '${word[i]}')`, this.at + i);
    }
    this.at += word.length;
    return word;
  }
}
