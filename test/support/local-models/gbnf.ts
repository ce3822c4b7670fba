/** A small recognizer of GBNF, llama.cpp's grammar notation, for tests of grammars. */

export type GrammarNode =
  | { kind: 'text'; text: string }
  | { kind: 'class'; negated: boolean; ranges: [number, number][] }
  | { kind: 'rule'; name: string }
  | { kind: 'sequence'; parts: GrammarNode[] }
  | { kind: 'choice'; options: GrammarNode[] }
  | { kind: 'repeat'; node: GrammarNode; min: number; max: number };

/** Whether all of `text` follows the grammar. Throws for an invalid grammar or a missing rule. */
export function follows(grammar: string, text: string): boolean {
  const rules = readGrammar(grammar);
  const ends = new Matcher(rules, text).match({ kind: 'rule', name: 'root' }, 0);
  return ends.has(text.length);
}

/** The rules of a grammar by name. Throws for an invalid grammar or a missing rule. */
export function readGrammar(grammar: string): Map<string, GrammarNode> {
  const rules = new Map<string, GrammarNode>();
  for (const line of grammar.split('\n')) {
    if (line.trim() === '') continue;
    const match = /^([a-zA-Z0-9-]+) ::= (.*)$/.exec(line);
    if (!match) throw new Error(`not a rule: ${line}`);
    rules.set(match[1]!, new Reader(match[2]!).all());
  }
  for (const rule of rules.values()) checkNames(rule, rules);
  return rules;
}

function checkNames(node: GrammarNode, rules: Map<string, GrammarNode>): void {
  if (node.kind === 'rule' && !rules.has(node.name)) throw new Error(`no rule ${node.name}`);
  if (node.kind === 'sequence') for (const part of node.parts) checkNames(part, rules);
  if (node.kind === 'choice') for (const option of node.options) checkNames(option, rules);
  if (node.kind === 'repeat') checkNames(node.node, rules);
}

class Reader {
  #at = 0;
  constructor(readonly source: string) {}

  all(): GrammarNode {
    const node = this.#choice();
    if (this.#at < this.source.length) throw new Error(`unexpected ${this.source.slice(this.#at)}`);
    return node;
  }

  #choice(): GrammarNode {
    const options = [this.#sequence()];
    while (this.source[this.#at] === '|') {
      this.#at++;
      options.push(this.#sequence());
    }
    return options.length === 1 ? options[0]! : { kind: 'choice', options };
  }

  #sequence(): GrammarNode {
    const parts: GrammarNode[] = [];
    for (;;) {
      while (this.source[this.#at] === ' ') this.#at++;
      const next = this.source[this.#at];
      if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', parts };
      parts.push(this.#repeated(this.#item(next)));
    }
  }

  #item(next: string): GrammarNode {
    if (next === '(') {
      this.#at++;
      const node = this.#choice();
      if (this.source[this.#at++] !== ')') throw new Error('unclosed group');
      return node;
    }
    if (next === '"') {
      this.#at++;
      let text = '';
      while (this.source[this.#at] !== '"') text += this.#character();
      this.#at++;
      return { kind: 'text', text };
    }
    if (next === '[') return this.#class();
    const name = /^[a-zA-Z0-9-]+/.exec(this.source.slice(this.#at))?.[0];
    if (!name) throw new Error(`unexpected ${this.source.slice(this.#at)}`);
    this.#at += name.length;
    return { kind: 'rule', name };
  }

  #class(): GrammarNode {
    this.#at++;
    const negated = this.source[this.#at] === '^';
    if (negated) this.#at++;
    const ranges: [number, number][] = [];
    while (this.source[this.#at] !== ']') {
      const from = this.#character().codePointAt(0)!;
      if (this.source[this.#at] === '-' && this.source[this.#at + 1] !== ']') {
        this.#at++;
        ranges.push([from, this.#character().codePointAt(0)!]);
      } else ranges.push([from, from]);
    }
    this.#at++;
    return { kind: 'class', negated, ranges };
  }

  #character(): string {
    const character = String.fromCodePoint(this.source.codePointAt(this.#at)!);
    this.#at += character.length;
    if (character !== '\\') return character;
    const escaped = this.source[this.#at++]!;
    const digits = { x: 2, u: 4, U: 8 }[escaped];
    if (digits) {
      const code = Number.parseInt(this.source.slice(this.#at, this.#at + digits), 16);
      this.#at += digits;
      return String.fromCodePoint(code);
    }
    return { n: '\n', r: '\r', t: '\t' }[escaped] ?? escaped;
  }

  #repeated(node: GrammarNode): GrammarNode {
    const match = /^(?:[*+?]|\{(\d*)(,?)(\d*)\})/.exec(this.source.slice(this.#at));
    if (!match) return node;
    this.#at += match[0].length;
    if (match[0] === '*') return { kind: 'repeat', node, min: 0, max: Number.POSITIVE_INFINITY };
    if (match[0] === '+') return { kind: 'repeat', node, min: 1, max: Number.POSITIVE_INFINITY };
    if (match[0] === '?') return { kind: 'repeat', node, min: 0, max: 1 };
    const min = Number(match[1] || 0);
    const max = match[2] ? (match[3] ? Number(match[3]) : Number.POSITIVE_INFINITY) : min;
    return this.#repeated({ kind: 'repeat', node, min, max });
  }
}

class Matcher {
  readonly #memo = new Map<string, Set<number>>();
  constructor(
    readonly rules: Map<string, GrammarNode>,
    readonly text: string,
  ) {}

  /** Every position where a match that begins at `at` can end. */
  match(node: GrammarNode, at: number): Set<number> {
    switch (node.kind) {
      case 'text':
        return new Set(this.text.startsWith(node.text, at) ? [at + node.text.length] : []);
      case 'class': {
        const code = this.text.codePointAt(at);
        if (code === undefined) return new Set();
        const inRange = node.ranges.some(([from, to]) => code >= from && code <= to);
        return new Set(inRange !== node.negated ? [at + String.fromCodePoint(code).length] : []);
      }
      case 'rule': {
        const key = `${node.name} ${at}`;
        let ends = this.#memo.get(key);
        if (!ends) {
          this.#memo.set(key, new Set());
          ends = this.match(this.rules.get(node.name)!, at);
          this.#memo.set(key, ends);
        }
        return ends;
      }
      case 'choice':
        return new Set(node.options.flatMap((option) => [...this.match(option, at)]));
      case 'sequence': {
        let starts = new Set([at]);
        for (const part of node.parts) starts = this.#after(part, starts);
        return starts;
      }
      case 'repeat':
        return this.#repeat(node, at);
    }
  }

  #after(node: GrammarNode, starts: Set<number>): Set<number> {
    const ends = new Set<number>();
    for (const start of starts) for (const end of this.match(node, start)) ends.add(end);
    return ends;
  }

  #repeat(node: Extract<GrammarNode, { kind: 'repeat' }>, at: number): Set<number> {
    const ends = new Set<number>();
    let current = new Set([at]);
    for (let count = 0; current.size > 0 && count <= node.max; count++) {
      if (count >= node.min) {
        const before = ends.size;
        for (const end of current) ends.add(end);
        if (count > node.min && ends.size === before) break;
      }
      current = this.#after(node.node, current);
    }
    return ends;
  }
}
