import type { EngineEvent } from '#core/host';
import type { OutputParser, OutputPiece } from '../prompting/output/output-parser.ts';
import type { Logprob, RunEvent } from '../runs/events.ts';
import { Repetition } from './repetition.ts';
import { StopStrings } from './stop-strings.ts';

type TokenEvent = Extract<EngineEvent, { type: 'token' }>;
type OutputEvent = Exclude<RunEvent, { type: 'done' }>;

export interface DecoderOptions {
  stop: string[];
  /** End an answer that repeats one token. */
  limitRepetition: boolean;
  output: OutputParser;
  newCallId(): string;
  /** Mark tool calls for the last line of the answer. */
  callsWithEnd: boolean;
}

/** Turns the tokens of an engine into the events of an answer: text, thinking and tool calls, up to a stop string. */
export class AnswerDecoder {
  /** All text of the model, with its tags, without the stop string. */
  raw = '';
  readonly #stops: StopStrings;
  readonly #repetition: Repetition | undefined;
  #logprobs: Logprob[] = [];

  constructor(readonly options: DecoderOptions) {
    this.#stops = new StopStrings(options.stop);
    this.#repetition = options.limitRepetition ? new Repetition() : undefined;
  }

  /** `ended`: a stop string (`stop`) or repetition (`length`) ends the answer after these events. */
  push(token: TokenEvent): { events: OutputEvent[]; ended?: 'stop' | 'length' } {
    if (token.logprob) this.#logprobs.push(token.logprob);
    if (token.text === '') return { events: [] };
    if (this.#repetition?.push(token.text)) return { events: [], ended: 'length' };
    const { text, stopped } = this.#stops.push(token.text);
    const events = this.#textEvents(text);
    return stopped ? { events, ended: 'stop' } : { events };
  }

  /** Returns the events of all text that was held back. */
  finish(): OutputEvent[] {
    return [...this.#textEvents(this.#stops.flush()), ...this.#events(this.options.output.end())];
  }

  #textEvents(text: string): OutputEvent[] {
    if (text === '') return [];
    this.raw += text;
    return this.#events(this.options.output.push(text));
  }

  #events(pieces: OutputPiece[]): OutputEvent[] {
    return pieces.map((piece) => {
      if ('text' in piece) return this.#textEvent(piece.text, '');
      if ('thinking' in piece) return this.#textEvent('', piece.thinking);
      const calls = piece.calls.map((call) => ({ ...call, id: call.id ?? this.options.newCallId() }));
      return { type: 'tool-calls', calls, ...(this.options.callsWithEnd && { withEnd: true }) };
    });
  }

  /** The event has the probabilities of all tokens since the event before it. */
  #textEvent(content: string, thinking: string): OutputEvent {
    const logprobs = this.#logprobs;
    this.#logprobs = [];
    return { type: 'text', content, thinking, ...(logprobs.length > 0 && { logprobs }) };
  }
}
