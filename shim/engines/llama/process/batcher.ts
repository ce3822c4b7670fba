import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Token } from '../llama-library.ts';
import type { NativeContext } from './native.ts';
import type { SequenceSlot } from './sequence-slots.ts';

/** Reads the outputs of a step's last token, before the next batch overwrites them. */
export type OutputReader<T> = (output: number) => Promise<T>;

interface Step {
  slot: SequenceSlot;
  tokens: Token[];
  read: OutputReader<unknown> | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Whether answers may share batches, and prompts cached tokens. */
export interface BatchSharing {
  /** Whether tokens of several generations may be evaluated together. */
  acrossSequences: boolean;
  /** Whether a prompt may reuse generated tokens, and any number of them. Otherwise it reuses complete pieces. */
  acrossPieces: boolean;
}

/**
 * Evaluates tokens of several generations. In each round, one prompt gets a piece evaluated in a batch of its
 * own. Then all generations that wait for their next token share a batch. A long prompt thus delays the
 * others by one piece at a time. Where `sharing` forbids it, the content of a batch never changes results: tokens are
 * evaluated one by one.
 */
export class Batcher {
  sharing: BatchSharing = { acrossSequences: false, acrossPieces: false };
  #threads: number | undefined;
  readonly #steps: Step[] = [];
  #running = false;

  constructor(
    private readonly context: NativeContext,
    /** Tokens in each piece of a prompt, except the last one. */
    readonly piece: number,
    private readonly pace?: { begin(): void; step(): void },
  ) {}

  set threads(count: number) {
    this.#threads = count;
  }

  /** Appends tokens to the slot: a single one, or a piece of a prompt. */
  evaluate(slot: SequenceSlot, tokens: Token[]): Promise<void>;
  evaluate<T>(slot: SequenceSlot, tokens: Token[], read: OutputReader<T>): Promise<T>;
  evaluate(slot: SequenceSlot, tokens: Token[], read?: OutputReader<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#steps.push({ slot, tokens, read, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  /**
   * Keeps the part of a slot that can be reused for the prompt, and removes the rest. At least the last token
   * of the prompt must be evaluated again. Returns the number of reused tokens.
   */
  keep(slot: SequenceSlot, prompt: readonly Token[], window: number | undefined): number {
    let reused = slot.reusablePrefix(prompt.slice(0, -1));
    // Pieces must begin at the same positions as in an evaluation without reuse.
    if (!this.sharing.acrossPieces) reused -= reused % this.piece;
    if (reused < slot.tokens.length) {
      // A sliding window contains only the last tokens, so earlier ones cannot be restored.
      const oldest = this.context.getSequenceKvCacheMinPosition(slot.sequence);
      const lost = window !== undefined && oldest > Math.max(0, reused - window);
      const removed =
        reused > 0 &&
        !lost &&
        this.context.removeTokenCellsFromSequence(slot.sequence, reused, slot.tokens.length);
      if (!removed) {
        this.clear(slot);
        return 0;
      }
      slot.tokens.length = reused;
      slot.reusable = reused;
    }
    return reused;
  }

  clear(slot: SequenceSlot): void {
    this.context.disposeSequence(slot.sequence);
    slot.tokens = [];
    slot.reusable = 0;
  }

  /**
   * Removes tokens in the middle and moves the later ones up. If the model cannot do so, clears the slot and
   * returns false.
   */
  shift(slot: SequenceSlot, start: number, end: number): boolean {
    const used = slot.tokens.length;
    if (!this.context.removeTokenCellsFromSequence(slot.sequence, start, end)) {
      this.clear(slot);
      return false;
    }
    this.context.shiftSequenceTokenCells(slot.sequence, end, used, start - end);
    slot.tokens.splice(start, end - start);
    slot.reusable = Math.min(slot.reusable, start);
    return true;
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Steps that are requested in the same turn of the event loop join the first batch.
    await yieldToEventLoop();
    this.pace?.begin();
    while (this.#steps.length > 0) {
      const at = this.#steps.findIndex(({ tokens }) => tokens.length > 1);
      if (at >= 0) await this.#decode(this.#steps.splice(at, 1));
      const singles = this.#steps.filter(({ tokens }) => tokens.length === 1);
      for (const step of singles) this.#steps.splice(this.#steps.indexOf(step), 1);
      if (this.sharing.acrossSequences) await this.#decode(singles);
      else for (const step of singles) await this.#decode([step]);
      // Lets the generations request their next tokens first, so that they share a batch again.
      await yieldToEventLoop();
    }
    this.#running = false;
  }

  async #decode(steps: Step[]): Promise<void> {
    if (steps.length === 0) return;
    const { context } = this;
    try {
      context.initBatch(steps.reduce((sum, { tokens }) => sum + tokens.length, 0));
      const outputs = steps.map(({ slot, tokens, read }) => {
        const outputIndexes = read ? Uint32Array.of(tokens.length - 1) : new Uint32Array(0);
        return context.addToBatch(
          slot.sequence,
          slot.tokens.length,
          Uint32Array.from(tokens),
          outputIndexes,
        )[0];
      });
      if (this.#threads !== undefined) {
        context.setThreads(this.#threads);
        this.#threads = undefined;
      }
      await context.decodeBatch();
      for (const { slot, tokens } of steps) this.#recordTokens(slot, tokens);
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
      for (const { slot, reject } of steps) {
        this.clear(slot);
        reject(error);
      }
    }
  }

  #recordTokens(slot: SequenceSlot, tokens: Token[]): void {
    const isReusable =
      this.sharing.acrossPieces || (tokens.length === this.piece && slot.reusable % this.piece === 0);
    if (isReusable && slot.reusable === slot.tokens.length) slot.reusable += tokens.length;
    for (const token of tokens) slot.tokens.push(token);
  }
}
