/** Splits a Go template into text and the tokens of its actions, with Go's whitespace trimming. */

export type TokenKind =
  | 'text'
  | 'left'
  | 'right'
  | 'space'
  | 'identifier'
  | 'keyword'
  | 'field'
  | 'variable'
  | 'dot'
  | 'bool'
  | 'nil'
  | 'number'
  | 'string'
  | 'character'
  | 'other'
  | 'pipe'
  | 'declare'
  | 'assign'
  | 'comma'
  | 'leftParen'
  | 'rightParen'
  | 'eof';

export interface Token {
  kind: TokenKind;
  text: string;
  line: number;
}

/** An error with Go's text, `template: NAME:LINE: …`. Templates of models have no name. */
export class TemplateError extends Error {
  override name = 'TemplateError';
}

export function templateSyntaxError(line: number, message: string): TemplateError {
  return new TemplateError(`template: :${line}: ${message}`);
}

const KEYWORDS = new Set([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'range',
  'template',
  'with',
]);
const SPACE = /[ \t\r\n]/;
const WORD = /[\p{L}\p{Nd}_]/u;
const TRIM_START = /^[ \t\r\n]+/;
const TRIM_END = /[ \t\r\n]+$/;

export function tokenize(source: string): Token[] {
  return new Lexer(source).run();
}

class Lexer {
  readonly #tokens: Token[] = [];
  #at = 0;
  #line = 1;
  #depth = 0;

  constructor(readonly source: string) {}

  run(): Token[] {
    let trimNext = false;
    while (true) {
      const open = this.source.indexOf('{{', this.#at);
      const end = open < 0 ? this.source.length : open;
      let text = this.source.slice(this.#at, end);
      const lines = countLines(text);
      const trims = open >= 0 && this.source[open + 2] === '-' && SPACE.test(this.source[open + 3] ?? '');
      if (trimNext) text = text.replace(TRIM_START, '');
      if (trims) text = text.replace(TRIM_END, '');
      if (text !== '') this.#push('text', text);
      this.#line += lines;
      if (open < 0) break;
      this.#at = open + 2 + (trims ? 2 : 0);
      if (this.source.startsWith('/*', this.#at)) trimNext = this.#comment();
      else trimNext = this.#action();
    }
    this.#push('eof', '');
    return this.#tokens;
  }

  /** Returns whether the text after the comment must be trimmed. */
  #comment(): boolean {
    const close = this.source.indexOf('*/', this.#at);
    if (close < 0) throw templateSyntaxError(this.#line, 'unclosed comment');
    this.#line += countLines(this.source.slice(this.#at, close));
    this.#at = close + 2;
    const end = this.#rightDelimiter();
    if (!end) throw templateSyntaxError(this.#line, 'comment ends before closing delimiter');
    this.#at += end.length;
    return end.trims;
  }

  /** Returns whether the text after the action must be trimmed. */
  #action(): boolean {
    this.#push('left', '{{');
    this.#depth = 0;
    while (true) {
      const end = this.#rightDelimiter();
      if (end) {
        if (this.#depth > 0) throw templateSyntaxError(this.#line, 'unclosed left paren');
        this.#at += end.length;
        this.#push('right', '}}');
        return end.trims;
      }
      if (this.#at >= this.source.length) throw templateSyntaxError(this.#line, 'unclosed action');
      this.#token();
    }
  }

  #rightDelimiter(): { length: number; trims: boolean } | undefined {
    if (this.source.startsWith('}}', this.#at)) return { length: 2, trims: false };
    const trimmed = /[ \t\r\n]-\}\}/y;
    trimmed.lastIndex = this.#at;
    return trimmed.test(this.source) ? { length: 4, trims: true } : undefined;
  }

  #token(): void {
    const { source } = this;
    const character = String.fromCodePoint(source.codePointAt(this.#at)!);
    const next = source[this.#at + 1] ?? '';
    if (SPACE.test(character)) this.#spaces();
    else if (source.startsWith(':=', this.#at)) this.#take('declare', 2);
    else if (character === '=') this.#take('assign', 1);
    else if (character === '|') this.#take('pipe', 1);
    else if (character === ',') this.#take('comma', 1);
    else if (character === '"' || character === '`' || character === "'") this.#quoted(character);
    else if (character === '$') this.#word('variable', 1);
    else if (character === '.' && WORD.test(next) && !/[0-9]/.test(next)) this.#word('field', 1);
    else if (character === '.' && !/[0-9]/.test(next)) this.#take('dot', 1);
    else if (/[0-9+\-.]/.test(character)) this.#number();
    else if (WORD.test(character)) this.#word('identifier', 0);
    else if (character === '(' || character === ')') this.#parenthesis(character);
    else if (character >= '!' && character <= '~') this.#take('other', 1);
    else {
      const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
      throw templateSyntaxError(this.#line, `unrecognized character in action: U+${code} '${character}'`);
    }
  }

  #parenthesis(character: '(' | ')'): void {
    this.#depth += character === '(' ? 1 : -1;
    if (this.#depth < 0) throw templateSyntaxError(this.#line, 'unexpected right paren');
    this.#take(character === '(' ? 'leftParen' : 'rightParen', 1);
  }

  #spaces(): void {
    let end = this.#at;
    // The last space before `-}}` is part of the delimiter.
    while (SPACE.test(this.source[end] ?? '') && !this.source.startsWith('-}}', end + 1)) end++;
    this.#take('space', Math.max(end, this.#at + 1) - this.#at);
  }

  #word(kind: TokenKind, prefix: number): void {
    let end = this.#at + prefix;
    while (end < this.source.length && WORD.test(String.fromCodePoint(this.source.codePointAt(end)!))) end++;
    const text = this.source.slice(this.#at, end);
    const next = this.source[end];
    if (next !== undefined && !/[ \t\r\n.,|:=()]/.test(next) && !this.source.startsWith('}}', end)) {
      const code = next.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
      throw templateSyntaxError(this.#line, `bad character U+${code} '${next}'`);
    }
    let actual = kind;
    if (kind === 'identifier') {
      if (KEYWORDS.has(text)) actual = 'keyword';
      else if (text === 'true' || text === 'false') actual = 'bool';
      else if (text === 'nil') actual = 'nil';
    }
    this.#take(actual, text.length);
  }

  #number(): void {
    const match = /[+-]?(0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|[0-9_]*\.?[0-9_]*([eE][+-]?[0-9]+)?)/y;
    match.lastIndex = this.#at;
    const text = match.exec(this.source)?.[0] ?? '';
    const next = this.source[this.#at + text.length] ?? '';
    if (!/[0-9]/.test(text) || WORD.test(next)) {
      throw templateSyntaxError(this.#line, `bad number syntax: ${JSON.stringify(text + next)}`);
    }
    this.#take('number', text.length);
  }

  #quoted(quote: string): void {
    let end = this.#at + 1;
    while (this.source[end] !== quote) {
      const character = this.source[end];
      if (character === undefined || (character === '\n' && quote !== '`')) {
        const literalName = { '"': 'quoted string', '`': 'raw quoted string', "'": 'character constant' }[
          quote
        ];
        throw templateSyntaxError(this.#line, `unterminated ${literalName}`);
      }
      end += character === '\\' && quote !== '`' ? 2 : 1;
    }
    const body = this.source.slice(this.#at + 1, end);
    if (quote === "'" && !/^(?:[^\\]|\\(?:[0-7]{3}|x..|u.{4}|U.{8}|[^0-7xuU]))$/su.test(body)) {
      throw templateSyntaxError(this.#line, `malformed character constant: '${body}'`);
    }
    this.#take(quote === "'" ? 'character' : 'string', end + 1 - this.#at);
  }

  #take(kind: TokenKind, length: number): void {
    const text = this.source.slice(this.#at, this.#at + length);
    this.#push(kind, text);
    this.#line += countLines(text);
    this.#at += length;
  }

  #push(kind: TokenKind, text: string): void {
    this.#tokens.push({ kind, text, line: this.#line });
  }
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
