import type { NodeTypes } from '../graph/node-types.ts';
import { assignPrompt, modelsOf } from './assign-prompt.ts';
import type { Prompt } from './prompt.ts';
import type { PromptPlace, PromptPlaces } from './prompt-place.ts';

const NO_MODELS: ReadonlySet<string> = new Set();

/** Remembers which models each place has open, and finds the next prompt with its place. */
export class PromptAssignments {
  readonly #uses = new WeakMap<PromptPlace, { models: ReadonlySet<string>; usedAt: number }>();
  #lastUse = 0;
  /** How often a later prompt ran instead of this one. */
  readonly #passes = new WeakMap<Prompt, number>();
  readonly #models = new WeakMap<Prompt, ReadonlySet<string>>();

  constructor(
    private readonly types: NodeTypes,
    private readonly places: PromptPlaces,
  ) {}

  /** How many places have no prompt. */
  freePlaces(isBusy: (place: PromptPlace) => boolean): number {
    return this.places.list().filter((place) => !isBusy(place)).length;
  }

  /** Takes the next prompt out of the queue. Undefined: nothing waits, or no place is free. */
  take(
    pending: Prompt[],
    isBusy: (place: PromptPlace) => boolean,
  ): { prompt: Prompt; place: PromptPlace } | undefined {
    if (pending.length === 0) return undefined;
    const places = this.places.list();
    // One place has no choice, and need not look at graphs.
    const chosen = places.length === 1 ? first(places, isBusy) : this.#choose(pending, places, isBusy);
    if (!chosen) return undefined;
    for (const passed of pending.slice(0, chosen.prompt))
      this.#passes.set(passed, (this.#passes.get(passed) ?? 0) + 1);
    const [prompt] = pending.splice(chosen.prompt, 1) as [Prompt];
    const place = places[chosen.place]!;
    if (places.length > 1) this.#uses.set(place, { models: this.#modelsOf(prompt), usedAt: ++this.#lastUse });
    return { prompt, place };
  }

  #choose(
    pending: readonly Prompt[],
    places: readonly PromptPlace[],
    isBusy: (place: PromptPlace) => boolean,
  ) {
    if (places.every(isBusy)) return undefined;
    return assignPrompt(
      // A model is looked up when it is needed: thousands may wait.
      pending.map((prompt) => this.#candidate(prompt)),
      places.map((place) => ({
        ...(this.#uses.get(place) ?? { models: NO_MODELS, usedAt: 0 }),
        isFree: !isBusy(place),
      })),
    );
  }

  #candidate(prompt: Prompt) {
    const [passes, models] = [this.#passes.get(prompt) ?? 0, () => this.#modelsOf(prompt)];
    return {
      number: prompt.number,
      passes,
      get models() {
        return models();
      },
    };
  }

  #modelsOf(prompt: Prompt): ReadonlySet<string> {
    const models = this.#models.get(prompt) ?? modelsOf(prompt.graph, this.types);
    this.#models.set(prompt, models);
    return models;
  }
}

function first([place]: readonly PromptPlace[], isBusy: (place: PromptPlace) => boolean) {
  return place && !isBusy(place) ? { prompt: 0, place: 0 } : undefined;
}
