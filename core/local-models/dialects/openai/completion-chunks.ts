/** From run events to the objects of /v1/completions, fields in the order of the recordings. */
import { randomNumber } from '../random-id.ts';
import type { Answer, AnswerEvent } from '../respond.ts';
import { NO_USAGE, wireUsage } from './chunks.ts';

/** One answer: its id and time stand in all of its objects. */
export class TextCompletion {
  readonly #id = `cmpl-${randomNumber(999)}`;
  readonly #created: number;

  /** `includeUsage`: of a stream. */
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

  chunks(event: AnswerEvent): object[] {
    if (event.type === 'done') {
      const last = this.#chunk([{ text: '', index: 0, finish_reason: event.reason }]);
      return this.includeUsage ? [last, this.#chunk([], wireUsage(event.statistics))] : [last];
    }
    if (event.type !== 'text' || event.content === '') return [];
    return [this.#chunk([{ text: event.content, index: 0, finish_reason: null }])];
  }

  #whole(text: string, finishReason: string | null, usage: object): object {
    const choices = [{ text, index: 0, finish_reason: finishReason }];
    return { ...this.#head, ...this.#source, choices, usage };
  }

  whole({ content, done }: Answer): object {
    return this.#whole(content, done.reason, wireUsage(done.statistics));
  }

  rendered(text: string): object {
    return { ...this.#whole('', null, NO_USAGE), _debug_info: { rendered_template: text } };
  }
}
