/** The state machine from run events to the events of a streamed response. Members stand in alphabetical order. */

import type { ToolCall } from '#core/local-models/base/messages.ts';
import { describeFailure } from '#core/local-models/routes/errors.ts';
import { randomNumber } from '../../random-id.ts';
import type { AnswerEvent, Ending } from '../../respond.ts';
import { alphabetical } from './alphabetical.ts';
import type { Echo } from './request.ts';
import {
  callItem,
  messageItem,
  reasoningItem,
  responseObject,
  type State,
  summaryPart,
  textPart,
  usageOf,
} from './response-object.ts';

/** Events are named as their type. */
export interface StreamEvent {
  type: string;
}

/** The item that text is being added to. */
interface Open {
  kind: 'message' | 'reasoning';
  id: string;
  text: string;
}

const CODES: Record<number, string> = { 400: 'invalid_prompt', 429: 'rate_limit_exceeded' };

export class ResponseStream {
  #sequence = 0;
  #output: object[] = [];
  #open: Open | undefined;
  readonly #createdAt: number;

  /** `now`: seconds since 1970. */
  constructor(
    readonly id: string,
    readonly echo: Echo,
    readonly now: () => number,
  ) {
    this.#createdAt = now();
  }

  events(event: AnswerEvent): StreamEvent[] {
    return [...this.#begin(), ...this.#next(event)];
  }

  /** The last event of a response that fails. */
  fail(error: unknown): StreamEvent[] {
    const { status, message } = describeFailure(error);
    const failed = { code: CODES[status] ?? 'server_error', message };
    return [...this.#begin(), this.#response('response.failed', { status: 'failed', error: failed })];
  }

  #event(type: string, fields: object): StreamEvent {
    const event = { ...fields, type, sequence_number: this.#sequence++ };
    // The schema is the client's own text, and stays as it is.
    return alphabetical(event, this.echo.format.schema) as StreamEvent;
  }

  #response(type: string, state: Partial<State>): StreamEvent {
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

  #begin(): StreamEvent[] {
    if (this.#sequence > 0) return [];
    return [this.#response('response.created', {}), this.#response('response.in_progress', {})];
  }

  #next(event: AnswerEvent): StreamEvent[] {
    switch (event.type) {
      case 'text':
        return [...this.#think(event.thinking), ...this.#say(event.content)];
      case 'tool-calls':
        return [...this.#close(), ...this.#call(event.calls)];
      case 'done':
        return [...this.#close(), this.#complete(event)];
    }
  }

  /** Where the open item stands. */
  #place(open: Open): object {
    const index = open.kind === 'message' ? { content_index: 0 } : { summary_index: 0 };
    return { item_id: open.id, output_index: this.#output.length, ...index };
  }

  #added(item: object): StreamEvent {
    return this.#event('response.output_item.added', { output_index: this.#output.length, item });
  }

  #done(item: object): StreamEvent {
    return this.#event('response.output_item.done', { output_index: this.#output.push(item) - 1, item });
  }

  #think(delta: string): StreamEvent[] {
    if (delta === '') return [];
    const events: StreamEvent[] = [];
    if (this.#open?.kind !== 'reasoning') {
      events.push(...this.#close());
      this.#open = { kind: 'reasoning', id: `rs_${randomNumber(999_999)}`, text: '' };
      events.push(this.#added({ id: this.#open.id, type: 'reasoning', summary: [] }));
      // The imitated server leaves this out, and OpenAI's own client then finds no place for the text.
      const part = { ...this.#place(this.#open), part: summaryPart('') };
      events.push(this.#event('response.reasoning_summary_part.added', part));
    }
    this.#open.text += delta;
    events.push(this.#event('response.reasoning_summary_text.delta', { ...this.#place(this.#open), delta }));
    return events;
  }

  #say(delta: string): StreamEvent[] {
    if (delta === '') return [];
    const events: StreamEvent[] = [];
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

  #close(): StreamEvent[] {
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

  #call(calls: ToolCall[]): StreamEvent[] {
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

  #complete({ statistics }: Ending): StreamEvent {
    return this.#response('response.completed', {
      status: 'completed',
      completedAt: this.now(),
      usage: usageOf(statistics),
    });
  }
}
