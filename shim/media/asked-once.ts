import { orAborted } from '#core/base';

/**
 * An answer that is asked for once. Whoever waits for it leaves by a signal of their own; when all have left, the question ends. What
 * failed is asked anew the next time.
 */
export class AskedOnce<T> {
  #question: { answer: Promise<T>; end: AbortController; waiting: number } | undefined;

  constructor(private readonly ask: (signal: AbortSignal) => Promise<T>) {}

  async answer(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    this.#question ??= this.#begin();
    const question = this.#question;
    question.waiting++;
    try {
      return await orAborted(question.answer, signal);
    } catch (error) {
      if (question.waiting === 1) question.end.abort(error);
      if (question.end.signal.aborted && this.#question === question) this.#question = undefined;
      throw error;
    } finally {
      question.waiting--;
    }
  }

  #begin() {
    const end = new AbortController();
    return { answer: this.ask(end.signal), end, waiting: 0 };
  }
}
