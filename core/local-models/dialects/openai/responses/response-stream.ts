import { describeError } from '#core/local-models/base/errors.ts';
import type { ToolCall } from '#core/local-models/base/messages.ts';
import { randomNumber } from '../../random-id.ts';
import type { DialectEnd, DialectEvent } from '../../respond.ts';
import type { Echo } from './request.ts';
import {
  callItem,
  messageItem,
  type ResponseState,
  reasoningItem,
  responseObject,
  responseUsage,
  summaryPart,
  textPart,
} from './response-object.ts';
import { sortMembers } from './sort-members.ts';

/** An event of the stream. Its name is its type. */
export interface ResponseEvent {
  type: string;
}

/** The item that receives text. */
interface OpenItem {
  kind: 'message' | 'reasoning';
  id: string;
  text: string;
}

const CODES: Record<number, string> = { 400: 'invalid_prompt', 429: 'rate_limit_exceeded' };

/**
 * Translates run events to the events of a streamed response. Text opens an item of the output; other content, or the
 * end, closes it. Members are in alphabetical order, as Ollama prints them.
 */
export class ResponseStream {
  #sequence = 0;
  #output: object[] = [];
  #open: OpenItem | undefined;
  readonly #createdAt: number;

  /** `now` returns seconds since 1970. */
  constructor(
    readonly id: string,
    readonly echo: Echo,
    readonly now: () => number,
  ) {
    this.#createdAt = now();
  }

  events(event: DialectEvent): ResponseEvent[] {
    return [...this.#begin(), ...this.#next(event)];
  }

  /** The last events of a response that fails. */
  fail(error: unknown): ResponseEvent[] {
    const { status, message } = describeError(error);
    const failed = { code: CODES[status] ?? 'server_error', message };
    return [...this.#begin(), this.#response('response.failed', { status: 'failed', error: failed })];
  }

  #event(type: string, fields: object): ResponseEvent {
    const event = { ...fields, type, sequence_number: this.#sequence++ };
    // The client's own schema keeps its order.
    return sortMembers(event, this.echo.format.schema) as ResponseEvent;
  }

  #response(type: string, state: Partial<ResponseState>): ResponseEvent {
    const { effort = null, summary = null } = this.echo.reasoning ?? {};
    const response = responseObject(this.echo, this.echo.reasoning ? { effort, summary } : null, {
      id: this.id,
      createdAt: this.#createdAt,
      completedAt: null,
      status: 'in_progress',
      output: this.#output,
      error: null,
      usage: null,
      ...state,
    });
    return this.#event(type, { response });
  }

  #begin(): ResponseEvent[] {
    if (this.#sequence > 0) return [];
    return [this.#response('response.created', {}), this.#response('response.in_progress', {})];
  }

  #next(event: DialectEvent): ResponseEvent[] {
    switch (event.type) {
      case 'text':
        return [...this.#think(event.thinking), ...this.#speak(event.content)];
      case 'tool-calls':
        return [...this.#close(), ...this.#call(event.calls)];
      case 'done':
        return [...this.#close(), this.#complete(event)];
    }
  }

  /** The fields that refer to the open item. */
  #place(open: OpenItem): object {
    const index = open.kind === 'message' ? { content_index: 0 } : { summary_index: 0 };
    return { item_id: open.id, output_index: this.#output.length, ...index };
  }

  #added(item: object): ResponseEvent {
    return this.#event('response.output_item.added', { output_index: this.#output.length, item });
  }

  #done(item: object): ResponseEvent {
    return this.#event('response.output_item.done', { output_index: this.#output.push(item) - 1, item });
  }

  #think(delta: string): ResponseEvent[] {
    if (delta === '') return [];
    const events: ResponseEvent[] = [];
    if (this.#open?.kind !== 'reasoning') {
      events.push(...this.#close());
      this.#open = { kind: 'reasoning', id: `rs_${randomNumber(999_999)}`, text: '' };
      events.push(this.#added({ id: this.#open.id, type: 'reasoning', summary: [] }));
      // Ollama omits this event. OpenAI's own client needs it, or it drops the summary's text.
      const part = { ...this.#place(this.#open), part: summaryPart('') };
      events.push(this.#event('response.reasoning_summary_part.added', part));
    }
    this.#open.text += delta;
    events.push(this.#event('response.reasoning_summary_text.delta', { ...this.#place(this.#open), delta }));
    return events;
  }

  #speak(delta: string): ResponseEvent[] {
    if (delta === '') return [];
    const events: ResponseEvent[] = [];
    if (this.#open?.kind !== 'message') {
      events.push(...this.#close());
      this.#open = { kind: 'message', id: `msg_${randomNumber(999_999)}`, text: '' };
      events.push(this.#added(messageItem(this.#open.id)));
      const part = { ...this.#place(this.#open), part: textPart('') };
      events.push(this.#event('response.content_part.added', part));
    }
    this.#open.text += delta;
    const piece = { ...this.#place(this.#open), delta, logprobs: [] };
    events.push(this.#event('response.output_text.delta', piece));
    return events;
  }

  #close(): ResponseEvent[] {
    const open = this.#open;
    if (!open) return [];
    this.#open = undefined;
    const { id, text } = open;
    const place = this.#place(open);
    if (open.kind === 'reasoning') {
      return [
        this.#event('response.reasoning_summary_text.done', { ...place, text }),
        this.#event('response.reasoning_summary_part.done', { ...place, part: summaryPart(text) }),
        this.#done(reasoningItem(id, text)),
      ];
    }
    return [
      this.#event('response.output_text.done', { ...place, text, logprobs: [] }),
      this.#event('response.content_part.done', { ...place, part: textPart(text) }),
      this.#done(messageItem(id, text)),
    ];
  }

  #call(calls: ToolCall[]): ResponseEvent[] {
    const number = randomNumber(999_999);
    return calls.flatMap((call, i) => {
      const item = callItem(`fc_${number}_${i}`, call);
      const place = { item_id: item.id, output_index: this.#output.length };
      return [
        this.#added({ ...item, status: 'in_progress', arguments: '' }),
        this.#event('response.function_call_arguments.delta', { ...place, delta: item.arguments }),
        this.#event('response.function_call_arguments.done', { ...place, arguments: item.arguments }),
        this.#done(item),
      ];
    });
  }

  #complete({ statistics }: DialectEnd): ResponseEvent {
    return this.#response('response.completed', {
      status: 'completed',
      completedAt: this.now(),
      usage: responseUsage(statistics),
    });
  }
}
