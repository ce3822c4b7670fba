import { printJson } from '#core/http';
import type { DialectEvent } from '../respond.ts';
import { findSearch } from '../web-search.ts';
import { messageHead, messageUsage, searchBlocks, stopReason, toolUse } from './message-object.ts';

/** An event of the stream. Its name is its type. */
export interface MessageEvent {
  type: string;
  [field: string]: unknown;
}

type OpenBlock = 'text' | 'thinking';

/**
 * Translates run events to the events of a streamed message. Text opens a block; text of the other kind, a call or the
 * end closes it.
 */
export class MessageStream {
  #index = 0;
  #open: OpenBlock | undefined;
  #started = false;
  #calls = 0;
  /** A web search ended the message: later output of the model is left out. */
  #ended = false;

  /**
   * @param estimate tokens of the prompt
   * @param offersSearch calls of the web search are not for the client to answer
   */
  constructor(
    readonly id: string,
    readonly model: string,
    readonly estimate: number,
    readonly offersSearch: boolean,
  ) {}

  events(event: DialectEvent): MessageEvent[] {
    return [...this.#start(), ...this.#next(event)];
  }

  #start(): MessageEvent[] {
    if (this.#started) return [];
    this.#started = true;
    const usage = { input_tokens: this.estimate, output_tokens: 0 };
    return [{ type: 'message_start', message: { ...messageHead(this.id, this.model), content: [], usage } }];
  }

  #next(event: DialectEvent): MessageEvent[] {
    if (event.type === 'done') return this.#end(event);
    if (this.#ended) return [];
    if (event.type === 'text') {
      return [...this.#textDelta('thinking', event.thinking), ...this.#textDelta('text', event.content)];
    }
    if (this.offersSearch && findSearch(event.calls)) {
      this.#ended = true;
      return [
        ...this.#close(),
        ...searchBlocks(this.id, event.calls).flatMap((block) => this.#completeBlock(block)),
      ];
    }
    this.#calls += event.calls.length;
    return [
      ...this.#close(),
      ...event.calls.flatMap((call) =>
        this.#completeBlock(
          { ...toolUse(call), input: {} },
          { type: 'input_json_delta', partial_json: printJson(call.arguments) },
        ),
      ),
    ];
  }

  /** Starts and ends a block with all of its deltas. */
  #completeBlock(block: object, ...deltas: object[]): MessageEvent[] {
    const index = this.#index++;
    return [
      { type: 'content_block_start', index, content_block: block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ];
  }

  #textDelta(kind: OpenBlock, piece: string): MessageEvent[] {
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

  #end({ reason, statistics }: Extract<DialectEvent, { type: 'done' }>): MessageEvent[] {
    const stop_reason = this.#ended ? 'end_turn' : stopReason(reason, this.#calls > 0);
    return [
      ...this.#close(),
      { type: 'message_delta', delta: { stop_reason }, usage: messageUsage(statistics) },
      { type: 'message_stop' },
    ];
  }
}
