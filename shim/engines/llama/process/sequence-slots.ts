import type { Token } from '../llama-library.ts';

/** The part of the KV cache that one conversation uses. */
export class SequenceSlot {
  /** Tokens whose keys and values are cached, in order. */
  tokens: Token[] = [];
  /** The number of first tokens whose cache equals that of a new evaluation, to the last bit. Only these are reused. */
  reusable = 0;
  isTaken = false;
  /** The number of the slot's last use, counted over all slots. */
  lastUsed = 0;

  constructor(readonly sequence: number) {}

  /** The number of reusable tokens that are also the beginning of `tokens`. */
  reusablePrefix(tokens: readonly Token[]): number {
    const most = Math.min(this.reusable, tokens.length);
    let count = 0;
    while (count < most && this.tokens[count] === tokens[count]) count++;
    return count;
  }
}

/**
 * Assigns a slot to each generation: the one that has cached most of its prompt, or else the least recently
 * used one.
 */
export class SequenceSlots {
  readonly all: SequenceSlot[];
  readonly #waiting: ((slot: SequenceSlot) => void)[] = [];
  #uses = 0;

  constructor(count: number) {
    this.all = Array.from({ length: count }, (_, sequence) => new SequenceSlot(sequence));
  }

  /** Waits for a free slot, first come, first served. */
  async take(prompt: readonly Token[]): Promise<SequenceSlot> {
    if (this.all.every(({ isTaken: taken }) => taken)) {
      return new Promise<SequenceSlot>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    const free = this.all.filter(({ isTaken: taken }) => !taken).sort((a, b) => a.lastUsed - b.lastUsed);
    const shared = free.map((slot) => slot.reusablePrefix(prompt));
    const most = shared.indexOf(Math.max(...shared));
    // A short common beginning is no reason to evict another conversation's cache.
    const slot = shared[most]! * 2 >= free[most]!.tokens.length ? free[most]! : free[0]!;
    slot.isTaken = true;
    return slot;
  }

  release(slot: SequenceSlot): void {
    const next = this.#waiting.shift();
    slot.lastUsed = ++this.#uses;
    if (next) next(slot);
    else slot.isTaken = false;
  }
}
