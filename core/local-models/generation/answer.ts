/** From the tokens of an engine to the events of an answer: stop strings, repetition, thinking, tool calls. */
import type { EngineEvent } from '../../host/language-engine.ts';
import type { ThinkingParser } from '../prompting/thinking.ts';
import type { ToolCallParser } from '../prompting/tool-calls/index.ts';
import type { Logprob, RunEvent, ToolCall } from '../types.ts';
import { Repetition } from './repetition.ts';
import { StopStrings } from './stop-strings.ts';

type TokenEvent = Extract<EngineEvent, { type: 'token' }>;
type OutputEvent = Exclude<RunEvent, { type: 'done' }>;

export interface AnswerOptions {
  stop: string[];
  /** End an answer that repeats one token. */
  watchRepetition: boolean;
  thinking?: ThinkingParser;
  tools?: ToolCallParser;
  newCallId(): string;
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
    const events = this.#text(this.#stops.flush());
    const { thinking, tools } = this.options;
    const rest = thinking?.flush();
    if (rest) events.push(...this.#split(rest.thinking, rest.content));
    if (tools) events.push(...this.#pieces(tools.end()));
    return events;
  }

  #text(text: string): OutputEvent[] {
    if (text === '') return [];
    this.raw += text;
    const { thinking } = this.options;
    if (!thinking) return this.#split('', text);
    const split = thinking.push(text);
    return this.#split(split.thinking, split.content);
  }

  #split(thinking: string, content: string): OutputEvent[] {
    const events: OutputEvent[] = [];
    if (thinking !== '') events.push(this.#event('', thinking));
    if (content === '') return events;
    const { tools } = this.options;
    if (tools) events.push(...this.#pieces(tools.push(content)));
    else events.push(this.#event(content, ''));
    return events;
  }

  #pieces(pieces: ({ text: string } | { calls: ToolCall[] })[]): OutputEvent[] {
    return pieces.map((piece) =>
      'text' in piece
        ? this.#event(piece.text, '')
        : {
            type: 'tool-calls',
            calls: piece.calls.map((call) => ({ ...call, id: call.id ?? this.options.newCallId() })),
          },
    );
  }

  /** Carries the probabilities of all tokens since the event before. */
  #event(content: string, thinking: string): OutputEvent {
    const logprobs = this.#logprobs;
    this.#logprobs = [];
    return { type: 'text', content, thinking, ...(logprobs.length > 0 && { logprobs }) };
  }
}
