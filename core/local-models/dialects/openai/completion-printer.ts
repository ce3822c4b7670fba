import { randomNumber } from '../random-id.ts';
import type { DialectAnswer, DialectEvent } from '../respond.ts';
import { NO_USAGE, wireUsage } from './chat-printer.ts';

/** Prints one answer of /v1/completions, with fields in Ollama's order. All of its objects have the same id and time. */
export class CompletionPrinter {
  readonly #id = `cmpl-${randomNumber(999)}`;
  readonly #created: number;

  /**
   * @param now milliseconds since 1970
   * @param includeUsage adds usage to the chunks of a stream
   */
  constructor(
    readonly model: string,
    now: number,
    readonly includeUsage: boolean,
  ) {
    this.#created = Math.floor(now / 1000);
  }

  get #head() {
    return { id: this.#id, object: 'text_completion', created: this.#created };
  }

  get #source() {
    return { model: this.model, system_fingerprint: 'fp_ollama' };
  }

  #chunk(choices: object[], usage: object = NO_USAGE): object {
    return { ...this.#head, choices, ...this.#source, ...(this.includeUsage && { usage }) };
  }

  #complete(text: string, finishReason: string | null, usage: object): object {
    const choices = [{ text, index: 0, finish_reason: finishReason }];
    return { ...this.#head, ...this.#source, choices, usage };
  }

  /** This API has no place for thinking and tool calls: they are left out. */
  chunks(event: DialectEvent): object[] {
    if (event.type === 'done') {
      const last = this.#chunk([{ text: '', index: 0, finish_reason: event.reason }]);
      return this.includeUsage ? [last, this.#chunk([], wireUsage(event.statistics))] : [last];
    }
    if (event.type !== 'text' || event.content === '') return [];
    return [this.#chunk([{ text: event.content, index: 0, finish_reason: null }])];
  }

  complete({ content, done }: DialectAnswer): object {
    return this.#complete(content, done.reason, wireUsage(done.statistics));
  }

  rendered(text: string): object {
    return { ...this.#complete('', null, NO_USAGE), _debug_info: { rendered_template: text } };
  }
}
