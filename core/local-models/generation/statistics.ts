import type { Clock, EngineCounts, EngineEvent } from '#core/host';
import type { RunStatistics } from '../runs/events.ts';

/**
 * Counts and times of one or more passes through an engine. An engine reports its own at the end; for an answer that
 * the core stops before, they are taken from what was seen.
 */
export class Meter {
  readonly #start: number;
  #loaded = 0;
  #counts = { promptTokens: 0, generatedTokens: 0, promptDuration: 0, generateDuration: 0 };
  #pass = { begun: 0, first: 0, promptTokens: 0, generated: 0 };

  constructor(readonly clock: Clock) {
    this.#start = clock.nanoseconds();
  }

  /** The model is loaded and it is this request's turn. */
  loaded(): void {
    this.#loaded = this.clock.nanoseconds();
  }

  begin(): void {
    this.#pass = { begun: this.clock.nanoseconds(), first: 0, promptTokens: 0, generated: 0 };
  }

  see(event: EngineEvent): void {
    if (event.type === 'progress') this.#pass.promptTokens = event.total;
    else if (event.type === 'token') {
      this.#pass.first ||= this.clock.nanoseconds();
      this.#pass.generated++;
    } else this.#add(event.counts);
  }

  /** The answer was stopped before the engine ended it. */
  stopped(): void {
    const now = this.clock.nanoseconds();
    const { begun, first, promptTokens, generated } = this.#pass;
    this.#add({
      promptTokens,
      generatedTokens: generated,
      promptDuration: (first || now) - begun,
      generateDuration: first ? now - first : 0,
    });
  }

  statistics(): RunStatistics {
    const counts = this.#counts;
    return {
      totalDuration: whole(this.clock.nanoseconds() - this.#start),
      loadDuration: whole(this.#loaded - this.#start),
      promptEvalCount: counts.promptTokens,
      promptEvalDuration: whole(counts.promptDuration),
      evalCount: counts.generatedTokens,
      evalDuration: whole(counts.generateDuration),
    };
  }

  #add(counts: Omit<EngineCounts, 'cachedTokens'>): void {
    const sum = this.#counts;
    // A second pass repeats the prompt of the first.
    sum.promptTokens ||= counts.promptTokens;
    sum.generatedTokens += counts.generatedTokens;
    sum.promptDuration += counts.promptDuration;
    sum.generateDuration += counts.generateDuration;
  }
}

/** Never 0: that would leave the field out of answers. */
function whole(nanoseconds: number): number {
  return Math.max(1, Math.round(nanoseconds));
}
