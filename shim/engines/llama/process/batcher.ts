import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Token } from '../llama-library.ts';
import type { NativeContext } from './native.ts';
import type { Place } from './place.ts';

/** Reads the outputs behind the last token of a step, before anything else is evaluated. */
export type Reader<T> = (output: number) => Promise<T>;

interface Step {
  place: Place;
  tokens: Token[];
  read: Reader<unknown> | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Whether numbers depend on what is evaluated in the same batch. */
export interface Exactness {
  /** A token gets the same numbers alone and beside tokens of other places. */
  beside: boolean;
  /** … and in a piece of a prompt: what was generated can be used again as if it had been read. */
  inPieces: boolean;
}

/**
 * Evaluates for several generations at once. In each round the generations that wait for their next token share one
 * batch, and one prompt, by turns, gets a piece evaluated in a batch of its own: a long prompt holds nobody up for
 * longer than a piece. What is in a batch never changes what comes out: where it could, tokens go one by one.
 */
export class Batcher {
  exactness: Exactness = { beside: false, inPieces: false };
  #threads: number | undefined;
  readonly #steps: Step[] = [];
  #running = false;

  constructor(
    private readonly context: NativeContext,
    /** The pieces that prompts are evaluated in, all but the last whole. */
    readonly piece: number,
    private readonly pace?: { begin(): void; step(): void },
  ) {}

  set threads(count: number) {
    this.#threads = count;
  }

  /** Appends tokens, one or a piece of a prompt, to what the place holds. */
  evaluate(place: Place, tokens: Token[]): Promise<void>;
  evaluate<T>(place: Place, tokens: Token[], read: Reader<T>): Promise<T>;
  evaluate(place: Place, tokens: Token[], read?: Reader<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#steps.push({ place, tokens, read, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  /**
   * Keeps of a place as much of the prompt's beginning as can be used again, and forgets the rest. At least the last
   * token of the prompt is left to be evaluated. Returns how many are kept.
   */
  keep(place: Place, prompt: readonly Token[], window: number | undefined): number {
    let kept = place.shared(prompt.slice(0, -1));
    // Pieces begin where they would begin without anything kept.
    if (!this.exactness.inPieces) kept -= kept % this.piece;
    if (kept < place.tokens.length) {
      // A sliding window holds only the last tokens: it cannot go back behind them.
      const oldest = this.context.getSequenceKvCacheMinPosition(place.sequence);
      const lost = window !== undefined && oldest > Math.max(0, kept - window);
      const removed =
        kept > 0 &&
        !lost &&
        this.context.removeTokenCellsFromSequence(place.sequence, kept, place.tokens.length);
      if (!removed) {
        this.clear(place);
        return 0;
      }
      place.tokens.length = kept;
      place.valid = kept;
    }
    return kept;
  }

  clear(place: Place): void {
    this.context.disposeSequence(place.sequence);
    place.tokens = [];
    place.valid = 0;
  }

  /** Drops tokens in the middle and moves the later ones up. False when the model's memory cannot: it is empty then. */
  shift(place: Place, start: number, end: number): boolean {
    const used = place.tokens.length;
    if (!this.context.removeTokenCellsFromSequence(place.sequence, start, end)) {
      this.clear(place);
      return false;
    }
    this.context.shiftSequenceTokenCells(place.sequence, end, used, start - end);
    place.tokens.splice(start, end - start);
    place.valid = Math.min(place.valid, start);
    return true;
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Whoever asks in the same moment is in the first batch too.
    await turnOfTheLoop();
    this.pace?.begin();
    while (this.#steps.length > 0) {
      const at = this.#steps.findIndex(({ tokens }) => tokens.length > 1);
      if (at >= 0) await this.#decode(this.#steps.splice(at, 1));
      const singles = this.#steps.filter(({ tokens }) => tokens.length === 1);
      for (const step of singles) this.#steps.splice(this.#steps.indexOf(step), 1);
      if (this.exactness.beside) await this.#decode(singles);
      else for (const step of singles) await this.#decode([step]);
      // Everyone who was answered asks for the next token now, so that they share a batch again.
      await turnOfTheLoop();
    }
    this.#running = false;
  }

  async #decode(steps: Step[]): Promise<void> {
    if (steps.length === 0) return;
    const { context } = this;
    try {
      context.initBatch(steps.reduce((sum, { tokens }) => sum + tokens.length, 0));
      const outputs = steps.map(({ place, tokens, read }) => {
        const wanted = read ? Uint32Array.of(tokens.length - 1) : new Uint32Array(0);
        return context.addToBatch(place.sequence, place.tokens.length, Uint32Array.from(tokens), wanted)[0];
      });
      if (this.#threads !== undefined) {
        context.setThreads(this.#threads);
        this.#threads = undefined;
      }
      await context.decodeBatch();
      for (const { place, tokens } of steps) this.#note(place, tokens);
      this.pace?.step();
      await Promise.all(
        steps.map(async ({ read, resolve, reject }, index) => {
          try {
            resolve(await read?.(outputs[index]!));
          } catch (error) {
            reject(error);
          }
        }),
      );
    } catch (error) {
      for (const { place, reject } of steps) {
        this.clear(place);
        reject(error);
      }
    }
  }

  #note(place: Place, tokens: Token[]): void {
    const whole = this.exactness.inPieces || (tokens.length === this.piece && place.valid % this.piece === 0);
    if (whole && place.valid === place.tokens.length) place.valid += tokens.length;
    for (const token of tokens) place.tokens.push(token);
  }
}
