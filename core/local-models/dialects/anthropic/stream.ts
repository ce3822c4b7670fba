/** The state machine from run events to the events of a streamed Anthropic message. */
import { printJson } from '#core/http';
import type { AnswerEvent } from '../respond.ts';
import { findSearch } from '../web-search.ts';
import { messageHead, searchBlocks, stopReason, toolUse, usageOf } from './answer.ts';

/** An object of the stream; events are named as their type. */
export interface MessageEvent {
  type: string;
  [field: string]: unknown;
}

type Open = 'text' | 'thinking';

export class MessageStream {
  #index = 0;
  #open: Open | undefined;
  #started = false;
  #calls = 0;
  /** The message is over, whatever else the model says. */
  #over = false;

  /** `estimate`: tokens of the prompt; `searches`: calls of the web search are not the client's to answer. */
  constructor(
    readonly id: string,
    readonly model: string,
    readonly estimate: number,
    readonly searches: boolean,
  ) {}

  events(event: AnswerEvent): MessageEvent[] {
    return [...this.#start(), ...this.#next(event)];
  }

  #start(): MessageEvent[] {
    if (this.#started) return [];
    this.#started = true;
    const usage = { input_tokens: this.estimate, output_tokens: 0 };
    return [{ type: 'message_start', message: { ...messageHead(this.id, this.model), content: [], usage } }];
  }

  #next(event: AnswerEvent): MessageEvent[] {
    if (event.type === 'done') return this.#end(event);
    if (this.#over) return [];
    if (event.type === 'text') {
      return [...this.#piece('thinking', event.thinking), ...this.#piece('text', event.content)];
    }
    if (this.searches && findSearch(event.calls)) {
      this.#over = true;
      return [...this.#close(), ...searchBlocks(this.id, event.calls).flatMap((block) => this.#whole(block))];
    }
    this.#calls += event.calls.length;
    return [
      ...this.#close(),
      ...event.calls.flatMap((call) =>
        this.#whole(
          { ...toolUse(call), input: {} },
          { type: 'input_json_delta', partial_json: printJson(call.arguments) },
        ),
      ),
    ];
  }

  /** A block of its own, begun and ended. */
  #whole(block: object, ...deltas: object[]): MessageEvent[] {
    const index = this.#index++;
    return [
      { type: 'content_block_start', index, content_block: block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ];
  }

  #piece(kind: Open, piece: string): MessageEvent[] {
    if (piece === '') return [];
    const events: MessageEvent[] = [];
    if (this.#open !== kind) {
      events.push(...this.#close());
      this.#open = kind;
      const content_block = { type: kind, [kind]: '' };
      events.push({ type: 'content_block_start', index: this.#index, content_block });
    }
    const delta = { type: `${kind}_delta`, [kind]: piece };
    events.push({ type: 'content_block_delta', index: this.#index, delta });
    return events;
  }

  #close(): MessageEvent[] {
    if (!this.#open) return [];
    this.#open = undefined;
    return [{ type: 'content_block_stop', index: this.#index++ }];
  }

  #end({ reason, statistics }: Extract<AnswerEvent, { type: 'done' }>): MessageEvent[] {
    const stop_reason = this.#over ? 'end_turn' : stopReason(reason, this.#calls > 0);
    return [
      ...this.#close(),
      { type: 'message_delta', delta: { stop_reason }, usage: usageOf(statistics) },
      { type: 'message_stop' },
    ];
  }
}
