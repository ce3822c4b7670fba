import type { Clock, EngineCounts, EngineEvent } from '#core/host';
import type { RunStatistics } from '../runs/events.ts';

/**
 * Measures one run, which may need several generations of the engine. An engine reports its counts when it ends; for a
 * generation that the core stops, they are derived from the events until then.
 */
export class Meter {
  readonly #start: number;
  #loaded = 0;
  #counts = { promptTokens: 0, generatedTokens: 0, promptDuration: 0, generateDuration: 0 };
  #current = { start: 0, firstToken: 0, promptTokens: 0, generated: 0 };

  /** Starts to measure the run. */
  constructor(readonly clock: Clock) {
    this.#start = clock.nanoseconds();
  }

  /** The model is loaded and the run's turn has come. */
  loaded(): void {
    this.#loaded = this.clock.nanoseconds();
  }

  /** A generation of the engine starts. */
  begin(): void {
    this.#current = { start: this.clock.nanoseconds(), firstToken: 0, promptTokens: 0, generated: 0 };
  }

  record(event: EngineEvent): void {
    if (event.type === 'progress') this.#current.promptTokens = event.total;
    else if (event.type === 'token') {
      this.#current.firstToken ||= this.clock.nanoseconds();
      this.#current.generated++;
    } else this.#add(event.counts);
  }

  /** The core stopped the generation before the engine ended it. */
  stopped(): void {
    const now = this.clock.nanoseconds();
    const { start, firstToken, promptTokens, generated } = this.#current;
    this.#add({
      promptTokens,
      generatedTokens: generated,
      promptDuration: (firstToken || now) - start,
      generateDuration: firstToken ? now - firstToken : 0,
    });
  }

  statistics(): RunStatistics {
    const counts = this.#counts;
    return {
      totalDuration: atLeastOne(this.clock.nanoseconds() - this.#start),
      loadDuration: atLeastOne(this.#loaded - this.#start),
      promptEvalCount: counts.promptTokens,
      promptEvalDuration: atLeastOne(counts.promptDuration),
      evalCount: counts.generatedTokens,
      evalDuration: atLeastOne(counts.generateDuration),
    };
  }

  #add(counts: Omit<EngineCounts, 'cachedTokens'>): void {
    const sum = this.#counts;
    // A second generation repeats the prompt of the first.
    sum.promptTokens ||= counts.promptTokens;
    sum.generatedTokens += counts.generatedTokens;
    sum.promptDuration += counts.promptDuration;
    sum.generateDuration += counts.generateDuration;
  }
}

/** Whole nanoseconds. Never 0, because zeros are left out of answers. */
function atLeastOne(nanoseconds: number): number {
  return Math.max(1, Math.round(nanoseconds));
}
