import type { ToolCall } from '#core/local-models/base/messages.ts';
import { Cursor, NeedMore } from './cursor.ts';
import type { CallForm, ToolCallFamily } from './family.ts';
import type { RequestTools } from './request-tools.ts';

/** A piece of an answer: text for people, or calls. */
export type AnswerPiece = { text: string } | { calls: ToolCall[] };

/** Finds tool calls in streamed text. */
export interface ToolCallParser {
  /** Returns the pieces that are certain; holds back what may be the beginning of a call. */
  push(text: string): AnswerPiece[];
  /** Returns the rest, when the stream has ended. */
  end(): AnswerPiece[];
}

/** Each look at an incomplete call reads all of it. A call longer than LONG characters waits until it grew by GROWTH. */
const LONG = 2_000;
const GROWTH = 1 / 16;

/** The result of a search: a call, the possible beginning of a call (`open`), or none up to `at`. */
type Search =
  | { kind: 'call'; at: number; end: number; calls: ToolCall[] }
  | { kind: 'open' | 'none'; at: number };

/** Finds the calls of a family. All other characters remain text, except the white space around calls. */
export class FormParser implements ToolCallParser {
  #held = '';
  /** Length of the held text from which on it is searched again. */
  #nextSearch = 0;
  /** Whether only white space or calls precede the held text. */
  #atStart = true;
  #afterCall = false;
  readonly #forms: CallForm[];
  readonly #separator: RegExp;

  constructor(
    family: Pick<ToolCallFamily, 'forms' | 'separator'>,
    readonly tools: RequestTools,
  ) {
    // The form with the longest opening text wins.
    this.#forms = [...family.forms].sort((a, b) => b.open.length - a.open.length);
    this.#separator = family.separator ?? /\s/;
  }

  push(text: string): AnswerPiece[] {
    this.#held += text;
    if (this.#held.length < this.#nextSearch) return [];
    const pieces = this.#read(false);
    const { length } = this.#held;
    this.#nextSearch = length > LONG ? length * (1 + GROWTH) : 0;
    return pieces;
  }

  end(): AnswerPiece[] {
    return this.#read(true);
  }

  #read(ended: boolean): AnswerPiece[] {
    const pieces: AnswerPiece[] = [];
    for (;;) {
      if (this.#afterCall) this.#dropSeparators();
      const found = this.#find(ended);
      // Space before a call is dropped, so it waits until it is certain that no call follows.
      const before = this.#held.slice(0, found.at);
      const certain = found.kind === 'none' && ended ? before : before.trimEnd();
      if (certain !== '') {
        pieces.push({ text: certain });
        this.#passText(certain.length);
      }
      if (found.kind !== 'call') return pieces;
      pieces.push({ calls: found.calls });
      this.#held = this.#held.slice(found.end - certain.length);
      this.#atStart = true;
      this.#afterCall = true;
    }
  }

  #passText(length: number): void {
    this.#held = this.#held.slice(length);
    this.#atStart = false;
    this.#afterCall = false;
  }

  #dropSeparators(): void {
    let at = 0;
    while (at < this.#held.length && this.#separator.test(this.#held[at]!)) at++;
    this.#held = this.#held.slice(at);
  }

  #find(ended: boolean): Search {
    const text = this.#held;
    let atStart = this.#atStart;
    for (let at = 0; at < text.length; at++) {
      for (const form of this.#forms) {
        const found = form.anchored && !atStart ? undefined : this.#tryForm(form, at, ended);
        if (found) return found;
      }
      if (atStart && !/\s/.test(text[at]!)) atStart = false;
    }
    return { kind: 'none', at: text.length };
  }

  /** Undefined: no call of this form begins at `at`. */
  #tryForm(form: CallForm, at: number, ended: boolean): Search | undefined {
    const text = this.#held;
    if (!text.startsWith(form.open, at)) {
      const rest = text.length - at;
      const mayOpen = !ended && rest < form.open.length && form.open.startsWith(text.slice(at));
      return mayOpen ? { kind: 'open', at } : undefined;
    }
    const cursor = new Cursor(text, at + form.open.length, ended);
    try {
      const calls = form.read(cursor, this.tools);
      return calls && { kind: 'call', at, end: cursor.at, calls };
    } catch (error) {
      if (!(error instanceof NeedMore)) throw error;
      return { kind: 'open', at };
    }
  }
}
