import type { Tool, ToolCall } from '#core/local-models/base/messages.ts';
import { Cursor, NeedMore } from './cursor.ts';

/** A piece of an answer: text for people, or calls. */
export type Piece = { text: string } | { calls: ToolCall[] };

/** Finds the tool calls of one family of models in streamed text. */
export interface ToolCallParser {
  /** Pieces that are certain; what may be the beginning of a call is held back. */
  push(text: string): Piece[];
  /** What was held back, when nothing more comes. */
  end(): Piece[];
}

/** The tools of a request: calls of anything else are text. */
export class KnownTools {
  readonly #parameters = new Map<string, Record<string, unknown>>();

  constructor(tools: Tool[]) {
    for (const tool of tools) {
      const target = tool.function as { name?: unknown; parameters?: { properties?: unknown } } | undefined;
      if (typeof target?.name !== 'string') continue;
      const { properties } = target.parameters ?? {};
      const known = properties !== null && typeof properties === 'object' ? properties : {};
      this.#parameters.set(target.name, known as Record<string, unknown>);
    }
  }

  has(name: string): boolean {
    return this.#parameters.has(name);
  }

  /** Names of a tool's parameters in the order of its schema. */
  parameters(name: string): string[] {
    return Object.keys(this.#parameters.get(name) ?? {});
  }

  /** The schema of one parameter, as the client sent it. */
  parameter(name: string, key: string): Record<string, unknown> {
    const schema = this.#parameters.get(name)?.[key];
    return schema !== null && typeof schema === 'object' ? (schema as Record<string, unknown>) : {};
  }
}

/** One way to write calls. */
export interface CallForm {
  /** What a call begins with. */
  open: string;
  /** Calls of this form only stand where the answer begins, or behind another call. */
  anchored?: boolean;
  /**
   * Reads on behind `open`. undefined = no call. Must decide by what the cursor reads alone, so that the same text gives
   * the same calls wherever its tokens are cut.
   */
  read(cursor: Cursor, tools: KnownTools): ToolCall[] | undefined;
}

export interface ToolCallFamily {
  readonly name: string;
  /** Whether a template tells its model to call tools in this form. */
  matches(template: string): boolean;
  readonly forms: CallForm[];
  /** Stands between calls and belongs to nobody. Default: white space. */
  readonly separator?: RegExp;
}

/** A call longer than this is looked at again only when it has grown by a part of its length: each look reads it all. */
const LONG = 2_000;
const GROWTH = 1 / 16;

/** Looks for the calls of a family. What is no call is text, to the last character; only space around calls is dropped. */
export class FormParser implements ToolCallParser {
  #held = '';
  #nextLook = 0;
  /** Nothing but space, or calls, came before what is held. */
  #atStart = true;
  #afterCall = false;
  readonly #forms: CallForm[];
  readonly #separator: RegExp;

  constructor(
    family: Pick<ToolCallFamily, 'forms' | 'separator'>,
    readonly tools: KnownTools,
  ) {
    // The longest beginning that fits is meant.
    this.#forms = [...family.forms].sort((a, b) => b.open.length - a.open.length);
    this.#separator = family.separator ?? /\s/;
  }

  push(text: string): Piece[] {
    this.#held += text;
    if (this.#held.length < this.#nextLook) return [];
    const pieces = this.#read(false);
    const { length } = this.#held;
    this.#nextLook = length > LONG ? length * (1 + GROWTH) : 0;
    return pieces;
  }

  end(): Piece[] {
    return this.#read(true);
  }

  #read(ended: boolean): Piece[] {
    const pieces: Piece[] = [];
    for (;;) {
      if (this.#afterCall) this.#dropSeparators();
      const found = this.#find(ended);
      // Space before a call belongs to nobody, so it waits until that is decided.
      const before = this.#held.slice(0, found.at);
      const certain = found.kind === 'none' && ended ? before : before.trimEnd();
      if (certain !== '') {
        pieces.push({ text: certain });
        this.#text(certain.length);
      }
      if (found.kind !== 'call') return pieces;
      pieces.push({ calls: found.calls });
      this.#held = this.#held.slice(found.end - certain.length);
      this.#atStart = true;
      this.#afterCall = true;
    }
  }

  #text(length: number): void {
    this.#held = this.#held.slice(length);
    this.#atStart = false;
    this.#afterCall = false;
  }

  #dropSeparators(): void {
    let at = 0;
    while (at < this.#held.length && this.#separator.test(this.#held[at]!)) at++;
    this.#held = this.#held.slice(at);
  }

  /** The first call in what is held; or up to where it is certain that there is none. */
  #find(
    ended: boolean,
  ): { kind: 'call'; at: number; end: number; calls: ToolCall[] } | { kind: 'open' | 'none'; at: number } {
    const text = this.#held;
    let start = this.#atStart;
    for (let at = 0; at < text.length; at++) {
      for (const form of this.#forms) {
        if (form.anchored && !start) continue;
        if (!text.startsWith(form.open, at)) {
          const rest = text.length - at;
          if (!ended && rest < form.open.length && form.open.startsWith(text.slice(at))) {
            return { kind: 'open', at };
          }
          continue;
        }
        const cursor = new Cursor(text, at + form.open.length, ended);
        try {
          const calls = form.read(cursor, this.tools);
          if (calls) return { kind: 'call', at, end: cursor.at, calls };
        } catch (error) {
          if (!(error instanceof NeedMore)) throw error;
          return { kind: 'open', at };
        }
      }
      if (start && !/\s/.test(text[at]!)) start = false;
    }
    return { kind: 'none', at: text.length };
  }
}
