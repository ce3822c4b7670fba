/** Random texts that follow a grammar in GBNF: texts that a model with this grammar could generate. */
import { type GrammarNode, readGrammar } from './gbnf.ts';

/** The depth from which on the shortest way to an end is taken. */
const DEEP = 24;
/** The most repetitions beyond the minimum. */
const EXTRA = 4;
const UNUSUAL = [0x20, 0x61, 0x5a, 0x30, 0x39, 0x2d, 0xe9, 0x65e5, 0x1f600, 0x2028];

export class GrammarSampler {
  readonly #rules: Map<string, GrammarNode>;
  readonly #depths = new Map<string, number>();

  /** `random` returns numbers from 0 to 1. */
  constructor(
    grammar: string,
    readonly random: () => number,
  ) {
    this.#rules = readGrammar(grammar);
    this.#measure();
  }

  sample(): string {
    return this.#write({ kind: 'rule', name: 'root' }, 0);
  }

  #write(node: GrammarNode, depth: number): string {
    switch (node.kind) {
      case 'text':
        return node.text;
      case 'class':
        return this.#character(node);
      case 'rule':
        return this.#write(this.#rules.get(node.name)!, depth + 1);
      case 'sequence':
        return node.parts.map((part) => this.#write(part, depth)).join('');
      case 'choice': {
        const options =
          depth < DEEP
            ? node.options
            : node.options.filter((option) => this.#depth(option) === this.#depth(node));
        return this.#write(options[Math.floor(this.random() * options.length)]!, depth);
      }
      case 'repeat': {
        const room = Math.min(node.max - node.min, EXTRA);
        // Sometimes the maximum, because errors often are at the bounds.
        const most = Number.isFinite(node.max) && this.random() < 0.1 ? node.max - node.min : room;
        const extra = depth < DEEP ? Math.floor(this.random() * (most + 1)) : 0;
        let text = '';
        for (let times = 0; times < node.min + extra; times++) text += this.#write(node.node, depth);
        return text;
      }
    }
  }

  #character({ negated, ranges }: Extract<GrammarNode, { kind: 'class' }>): string {
    if (!negated) {
      const [from, to] = ranges[Math.floor(this.random() * ranges.length)]!;
      return String.fromCodePoint(from + Math.floor(this.random() * (to - from + 1)));
    }
    for (;;) {
      const code =
        this.random() < 0.3
          ? UNUSUAL[Math.floor(this.random() * UNUSUAL.length)]!
          : 1 + Math.floor(this.random() * 0x17f);
      if (!ranges.some(([from, to]) => code >= from && code <= to)) return String.fromCodePoint(code);
    }
  }

  /** The least depth of rules that a part needs. Infinite for a part that cannot end. */
  #measure(): void {
    for (const name of this.#rules.keys()) this.#depths.set(name, Number.POSITIVE_INFINITY);
    for (let changed = true; changed; ) {
      changed = false;
      for (const [name, node] of this.#rules) {
        const depth = this.#depth(node) + 1;
        if (depth < this.#depths.get(name)!) {
          this.#depths.set(name, depth);
          changed = true;
        }
      }
    }
  }

  #depth(node: GrammarNode): number {
    switch (node.kind) {
      case 'rule':
        return this.#depths.get(node.name)!;
      case 'sequence':
        return Math.max(0, ...node.parts.map((part) => this.#depth(part)));
      case 'choice':
        return Math.min(...node.options.map((option) => this.#depth(option)));
      case 'repeat':
        return node.min === 0 ? 0 : this.#depth(node.node);
      default:
        return 0;
    }
  }
}
