import { ANY_CHARACTER, type CodeRange, PatternError, type PatternNode } from './pattern-nodes.ts';

const MAX_DEPTH = 100;
const MAX_LENGTH = 10_000;
const DIGITS: CodeRange[] = [[48, 57]];
const WORD: CodeRange[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
/** The characters of `\s`. */
const SPACES: CodeRange[] = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
/** Some characters of each Unicode category: a grammar may be narrower than the pattern. */
const PROPERTIES: Record<string, CodeRange[]> = {
  L: [
    [65, 90],
    [97, 122],
    [0xe0, 0xf6],
  ],
  Letter: [
    [65, 90],
    [97, 122],
    [0xe0, 0xf6],
  ],
  Lu: [[65, 90]],
  Ll: [[97, 122]],
  N: DIGITS,
  Nd: DIGITS,
  P: [
    [33, 33],
    [44, 44],
    [46, 46],
    [63, 63],
  ],
};
const CONTROL: Record<string, number> = { t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 };

/**
 * Parses a regular expression without look-around.
 * @throws PatternError
 */
export function readPattern(pattern: string): PatternNode {
  return new PatternReader(pattern).run();
}

class PatternReader {
  #at = 0;
  #depth = 0;

  constructor(readonly pattern: string) {
    if (pattern.length > MAX_LENGTH) throw new PatternError('the pattern is too long');
  }

  /** Adds any text before and after a match, unless the pattern has anchors there. */
  run(): PatternNode {
    const options: PatternNode[] = [];
    do {
      const parts: PatternNode[] = [];
      if (!this.#take('^'))
        parts.push({ kind: 'repeat', item: ANY_CHARACTER, min: 0, max: Number.POSITIVE_INFINITY });
      parts.push(this.#sequence());
      if (!this.#take('$'))
        parts.push({ kind: 'repeat', item: ANY_CHARACTER, min: 0, max: Number.POSITIVE_INFINITY });
      options.push({ kind: 'sequence', parts });
    } while (this.#take('|'));
    if (this.#at < this.pattern.length) throw this.#unsupported();
    return options.length === 1 ? options[0]! : { kind: 'choice', options };
  }

  #take(text: string): boolean {
    if (!this.pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #choice(): PatternNode {
    const options = [this.#sequence()];
    while (this.#take('|')) options.push(this.#sequence());
    return options.length === 1 ? options[0]! : { kind: 'choice', options };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.pattern.length && !/[|)$]/.test(this.pattern[this.#at]!)) {
      parts.push(this.#quantified(this.#item()));
    }
    return { kind: 'sequence', parts };
  }

  #item(): PatternNode {
    const code = this.pattern.codePointAt(this.#at)!;
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    if (character === '.') return ANY_CHARACTER;
    if (character === '[') return this.#class();
    if (character === '(') return this.#group();
    if (character === '\\') return this.#escaped();
    if (/[*+?{}^\]]/.test(character)) throw this.#unsupported();
    return { kind: 'class', negated: false, ranges: [[code, code]] };
  }

  #group(): PatternNode {
    if (this.#take('?<')) {
      const name = /^[A-Za-z_$][\w$]*>/.exec(this.pattern.slice(this.#at));
      if (!name) throw this.#unsupported();
      this.#at += name[0].length;
    } else if (!this.#take('?:') && this.pattern[this.#at] === '?') throw this.#unsupported();
    if (++this.#depth > MAX_DEPTH) throw new PatternError('the pattern is too deeply nested');
    const node = this.#choice();
    this.#depth--;
    if (!this.#take(')')) throw this.#unsupported();
    return node;
  }

  #escaped(): PatternNode {
    const { ranges, negated } = this.#escape();
    return { kind: 'class', ranges, negated };
  }

  /** Reads an escape after its backslash. */
  #escape(): { ranges: CodeRange[]; negated: boolean } {
    const character = this.pattern[this.#at++];
    if (character === undefined) throw this.#unsupported();
    const lower = character.toLowerCase();
    if (lower === 'd' || lower === 'w' || lower === 's') {
      return { ranges: { d: DIGITS, w: WORD, s: SPACES }[lower], negated: character !== lower };
    }
    if (character === 'p') {
      const name = /^\{(?:gc=|General_Category=)?(\w+)\}/.exec(this.pattern.slice(this.#at));
      const ranges = name && PROPERTIES[name[1]!];
      if (!ranges) throw this.#unsupported();
      this.#at += name[0].length;
      return { ranges, negated: false };
    }
    const code = this.#code(character);
    return { ranges: [[code, code]], negated: false };
  }

  #code(character: string): number {
    if (Object.hasOwn(CONTROL, character)) return CONTROL[character]!;
    const hex = { x: /^([0-9a-fA-F]{2})/, u: /^(?:([0-9a-fA-F]{4})|\{([0-9a-fA-F]{1,6})\})/ }[character];
    if (hex) {
      const match = hex.exec(this.pattern.slice(this.#at));
      if (!match) throw this.#unsupported();
      this.#at += match[0].length;
      return Number.parseInt(match[1] ?? match[2]!, 16);
    }
    if (/[a-zA-Z0-9]/.test(character)) throw this.#unsupported();
    return character.codePointAt(0)!;
  }

  #class(): PatternNode {
    const negated = this.#take('^');
    const ranges: CodeRange[] = [];
    while (!this.#take(']')) {
      const first = this.#member();
      if (first.negated) throw this.#unsupported();
      const single = first.ranges.length === 1 && first.ranges[0]![0] === first.ranges[0]![1];
      const dash = this.pattern[this.#at] === '-' && this.pattern[this.#at + 1] !== ']';
      if (!single || !dash) {
        // A negated class must exclude the complete category, and PROPERTIES has only a part of it.
        if (negated && Object.values(PROPERTIES).includes(first.ranges) && first.ranges !== DIGITS) {
          throw this.#unsupported();
        }
        ranges.push(...first.ranges);
        continue;
      }
      this.#at++;
      const last = this.#member();
      const to = last.ranges[0]![1];
      if (last.negated || last.ranges.length > 1 || to < first.ranges[0]![0]) throw this.#unsupported();
      ranges.push([first.ranges[0]![0], to]);
    }
    return { kind: 'class', ranges, negated };
  }

  #member(): { ranges: CodeRange[]; negated: boolean } {
    const code = this.pattern.codePointAt(this.#at);
    if (code === undefined) throw this.#unsupported();
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    if (character !== '\\') return { ranges: [[code, code]], negated: false };
    if (this.#take('b')) return { ranges: [[8, 8]], negated: false };
    return this.#escape();
  }

  #quantified(item: PatternNode): PatternNode {
    const match = /^(?:([*+?])|\{(\d{1,6})(,(\d{0,6}))?\})\??/.exec(
      this.pattern.slice(this.#at, this.#at + 20),
    );
    if (!match) return item;
    this.#at += match[0].length;
    const infinite = Number.POSITIVE_INFINITY;
    if (match[1])
      return { kind: 'repeat', item, min: match[1] === '+' ? 1 : 0, max: match[1] === '?' ? 1 : infinite };
    const min = Number(match[2]);
    const max = match[3] === undefined ? min : match[4] ? Number(match[4]) : infinite;
    if (max < min) throw this.#unsupported();
    return { kind: 'repeat', item, min, max };
  }

  #unsupported(): PatternError {
    return new PatternError(
      `pattern ${JSON.stringify(this.pattern.slice(0, 200))} is not supported from character ${this.#at} on`,
    );
  }
}
