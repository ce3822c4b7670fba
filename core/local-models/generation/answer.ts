/** From the tokens of an engine to the events of an answer: stop strings, repetition, thinking, tool calls. */
import type { EngineEvent } from '#core/host';
import type { OutputParser, OutputPiece } from '../prompting/output/output-parser.ts';
import type { Logprob, RunEvent } from '../runs/events.ts';
import { Repetition } from './repetition.ts';
import { StopStrings } from './stop-strings.ts';

type TokenEvent = Extract<EngineEvent, { type: 'token' }>;
type OutputEvent = Exclude<RunEvent, { type: 'done' }>;

export interface AnswerOptions {
  stop: string[];
  /** End an answer that repeats one token. */
  watchRepetition: boolean;
  output: OutputParser;
  newCallId(): string;
  /** Calls are told with the end of the answer. */
  callsWithEnd: boolean;
}

export class Answer {
  /** All text that the model gave, tags included, stop strings not. */
  raw = '';
  readonly #stops: StopStrings;
  readonly #repetition: Repetition | undefined;
  #logprobs: Logprob[] = [];

  constructor(readonly options: AnswerOptions) {
    this.#stops = new StopStrings(options.stop);
    this.#repetition = options.watchRepetition ? new Repetition() : undefined;
  }

  /** `ended`: the answer is over by a stop string (`stop`) or repetition (`length`). */
  push(token: TokenEvent): { events: OutputEvent[]; ended?: 'stop' | 'length' } {
    if (token.logprob) this.#logprobs.push(token.logprob);
    if (token.text === '') return { events: [] };
    if (this.#repetition?.push(token.text)) return { events: [], ended: 'length' };
    const { text, stopped } = this.#stops.push(token.text);
    const events = this.#text(text);
    return stopped ? { events, ended: 'stop' } : { events };
  }

  /** What was held back, as events of its own. */
  finish(): OutputEvent[] {
    return [...this.#text(this.#stops.flush()), ...this.#events(this.options.output.end())];
  }

  #text(text: string): OutputEvent[] {
    if (text === '') return [];
    this.raw += text;
    return this.#events(this.options.output.push(text));
  }

  #events(pieces: OutputPiece[]): OutputEvent[] {
    return pieces.map((piece) => {
      if ('text' in piece) return this.#event(piece.text, '');
      if ('thinking' in piece) return this.#event('', piece.thinking);
      const calls = piece.calls.map((call) => ({ ...call, id: call.id ?? this.options.newCallId() }));
      return { type: 'tool-calls', calls, ...(this.options.callsWithEnd && { withEnd: true }) };
    });
  }

  /** Carries the probabilities of all tokens since the event before. */
  #event(content: string, thinking: string): OutputEvent {
    const logprobs = this.#logprobs;
    this.#logprobs = [];
    return { type: 'text', content, thinking, ...(logprobs.length > 0 && { logprobs }) };
  }
}
