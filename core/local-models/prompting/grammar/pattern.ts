/** A JSON schema `pattern` as GBNF: the regular expressions that describe a whole string without looking around. */
import { literal, repeat } from './json-rules.ts';

export class PatternError extends Error {
  override name = 'PatternError';
}

const CLASSES: Record<string, string> = {
  d: '0-9',
  w: 'a-zA-Z0-9_',
  s: ' \\t',
};
/** Any character that a JSON string holds unescaped. */
const ANY = '[^"\\\\\\x7F\\x00-\\x1F]';

/** The expression for the characters between the quotes. Throws `PatternError`. */
export function patternGrammar(pattern: string): string {
  return new PatternReader(pattern).run();
}

class PatternReader {
  #at = 0;

  constructor(readonly pattern: string) {}

  run(): string {
    const { pattern } = this;
    // Without anchors anything may stand around the match.
    const open = pattern.startsWith('^') ? '' : `${ANY}* `;
    if (pattern.startsWith('^')) this.#at = 1;
    const body = this.#alternatives();
    const close = pattern[this.#at] === '$' ? '' : ` ${ANY}*`;
    if (pattern[this.#at] === '$') this.#at++;
    if (this.#at < pattern.length) throw this.#unsupported();
    return `${open}(${body})${close}`;
  }

  #alternatives(): string {
    const options = [this.#sequence()];
    while (this.pattern[this.#at] === '|') {
      this.#at++;
      options.push(this.#sequence());
    }
    return options.join(' | ');
  }

  #sequence(): string {
    const parts: string[] = [];
    while (this.#at < this.pattern.length && !/[|)$]/.test(this.pattern[this.#at]!)) {
      const item = this.#item();
      parts.push(this.#quantified(item));
    }
    return parts.length === 0 ? '""' : parts.join(' ');
  }

  #item(): string {
    const character = String.fromCodePoint(this.pattern.codePointAt(this.#at)!);
    this.#at += character.length;
    if (character === '.') return ANY;
    if (character === '[') return this.#class();
    if (character === '(') return this.#group();
    if (character === '\\') return this.#escape();
    if (/[*+?{}^\]]/.test(character)) throw this.#unsupported();
    return written(character);
  }

  #group(): string {
    if (this.pattern.startsWith('?:', this.#at)) this.#at += 2;
    else if (this.pattern[this.#at] === '?') throw this.#unsupported();
    const body = this.#alternatives();
    if (this.pattern[this.#at] !== ')') throw this.#unsupported();
    this.#at++;
    return `(${body})`;
  }

  #escape(): string {
    const character = this.pattern[this.#at++];
    if (character === undefined) throw this.#unsupported();
    const known = CLASSES[character];
    if (known) return `[${known}]`;
    if (character === 'D') return '[^0-9"\\\\\\x7F\\x00-\\x1F]';
    if (character === 'W') return '[^a-zA-Z0-9_"\\\\\\x7F\\x00-\\x1F]';
    if (character === 'S') return '[^ "\\\\\\x7F\\x00-\\x1F]';
    if (/[a-zA-Z0-9]/.test(character)) throw this.#unsupported();
    return written(character);
  }

  #class(): string {
    const negated = this.pattern[this.#at] === '^';
    if (negated) this.#at++;
    let body = '';
    while (this.pattern[this.#at] !== ']' || body === '') {
      const character = this.pattern[this.#at++];
      if (character === undefined) throw this.#unsupported();
      if (character === '\\') {
        const next = this.pattern[this.#at++] ?? '';
        if (CLASSES[next]) body += CLASSES[next];
        else if (/[a-zA-Z0-9]/.test(next)) throw this.#unsupported();
        else body += inClass(next);
      } else body += character === '-' ? '-' : inClass(character);
    }
    this.#at++;
    return negated ? `[^${body}"\\\\\\x7F\\x00-\\x1F]` : `[${body}]`;
  }

  #quantified(item: string): string {
    const rest = this.pattern.slice(this.#at);
    const match = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/.exec(rest);
    if (!match) return item;
    this.#at += match[0].length;
    if (match[1]) return `${item}${match[1]}`;
    const min = Number(match[2]);
    const max = match[3] === undefined ? min : match[4] ? Number(match[4]) : Number.POSITIVE_INFINITY;
    return repeat(item, min, max) || '""';
  }

  #unsupported(): PatternError {
    return new PatternError(
      `pattern ${JSON.stringify(this.pattern)} is not supported from character ${this.#at} on`,
    );
  }
}

/** A character as it stands in a JSON string. */
function written(character: string): string {
  return literal(JSON.stringify(character).slice(1, -1));
}

function inClass(character: string): string {
  return /[\]\\^[-]/.test(character) ? `\\${character}` : character;
}
