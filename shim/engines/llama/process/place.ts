import type { Token } from '../llama-library.ts';

/** One conversation's part of the context, and what it holds. */
export class Place {
  /** Tokens whose keys and values are there, in order. */
  tokens: Token[] = [];
  /** So many of them, from the first on, are there as a fresh evaluation would put them: only these are used again. */
  valid = 0;
  taken = false;
  /** Counts up over all places. */
  lastUsed = 0;

  constructor(readonly sequence: number) {}

  /** Tokens that it shares with the beginning of `tokens`, as far as they can be used again. */
  shared(tokens: readonly Token[]): number {
    const most = Math.min(this.valid, tokens.length);
    let count = 0;
    while (count < most && this.tokens[count] === tokens[count]) count++;
    return count;
  }
}

/** Gives each generation a place of its own: the one that knows most of its prompt, else the one used longest ago. */
export class Places {
  readonly all: Place[];
  readonly #waiting: ((place: Place) => void)[] = [];
  #uses = 0;

  constructor(count: number) {
    this.all = Array.from({ length: count }, (_, sequence) => new Place(sequence));
  }

  /** Waits for a free one; first come, first served. */
  async take(prompt: readonly Token[]): Promise<Place> {
    if (this.all.every(({ taken }) => taken)) {
      return new Promise<Place>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
    const free = this.all.filter(({ taken }) => !taken).sort((a, b) => a.lastUsed - b.lastUsed);
    const shared = free.map((place) => place.shared(prompt));
    const most = shared.indexOf(Math.max(...shared));
    // A few first words in common are no reason to drop another conversation.
    const place = shared[most]! * 2 >= free[most]!.tokens.length ? free[most]! : free[0]!;
    place.taken = true;
    return place;
  }

  give(place: Place): void {
    const next = this.#waiting.shift();
    place.lastUsed = ++this.#uses;
    if (next) next(place);
    else place.taken = false;
  }
}
