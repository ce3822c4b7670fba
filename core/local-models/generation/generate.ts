/** One answer: from a lease on a loaded model to the events that clients see. */
import { ContextExceeded, type EngineEvent, type GenerateRequest, type LanguageModel } from '#core/host';
import { toMediaPrompt, withoutPlaceholders } from '../prompting/image-placeholders.ts';
import type { OutputForm } from '../prompting/output/output-form.ts';
import type { OutputParser } from '../prompting/output/output-parser.ts';
import { toolCallId } from '../prompting/output/tool-calls/tool-call-id.ts';
import type { RunEvent } from '../runs/events.ts';
import { Answer } from './answer.ts';
import { fitPrompt, type LongPrompt } from './fit-prompt.ts';
import type { Meter } from './statistics.ts';

export interface Generation {
  prompt: LongPrompt;
  /** Everything else that the engine is told. */
  settings: Omit<GenerateRequest, 'prompt' | 'grammar'>;
  grammar: string | undefined;
  stop: string[];
  /** How what the model says is taken apart. */
  output: OutputForm;
  /** Text of the answer that the request already gave. */
  begun: string;
  /** All images of the conversation; the prompt says where they go. */
  images: Uint8Array[];
  /** Whether the tokens of prompt and answer are wanted. */
  context: boolean;
}

export interface Outcome {
  reason: 'stop' | 'length';
  /** Tokens of prompt and answer, where asked for. */
  context?: number[];
}

export async function* generate(
  model: LanguageModel,
  generation: Generation,
  meter: Meter,
  accepted: () => void,
  signal: AbortSignal,
): AsyncGenerator<Exclude<RunEvent, { type: 'done' }>, Outcome> {
  const pass = new EnginePass(model, meter, generation.images, signal);
  try {
    const { text, prompt } = await open(pass, generation, signal);
    accepted();
    const { output } = generation;
    let parser = output.parser(text);
    let answer = newAnswer(generation, parser);
    /** Until its thinking is over, a model that thinks is not bound by the grammar. */
    let free = generation.grammar !== undefined && output.thinks;
    /** What the model said in a pass before this one. */
    let said = '';
    let reason: Outcome['reason'] = 'stop';
    if (generation.begun !== '') yield { type: 'text', content: generation.begun, thinking: '' };
    for (let event = await pass.next(); event; event = await pass.next()) {
      if (event.type === 'end') reason = event.reason;
      if (event.type !== 'token') continue;
      const { events, ended } = answer.push(event);
      if (free && parser.textBeforeAnswer !== undefined) {
        // From here on the grammar binds, so what came behind the thinking is said again.
        yield* events.filter((event) => event.type === 'text' && event.thinking !== '');
        free = false;
        said = parser.textBeforeAnswer;
        await pass.stop();
        parser = output.answerParser();
        answer = newAnswer(generation, parser);
        if (await openAnswer(pass, generation, prompt, said, signal)) continue;
        reason = 'length';
        break;
      }
      yield* events;
      if (ended) {
        reason = ended;
        await pass.stop();
        break;
      }
    }
    yield* answer.finish();
    await pass.close();
    if (!generation.context) return { reason };
    return { reason, context: await model.tokenize(withoutPlaceholders(text) + said + answer.raw, signal) };
  } finally {
    await pass.close();
  }
}

/** Hands the prompt to the engine, made to fit where it does not. `text` is the prompt before any cut. */
async function open(
  pass: EnginePass,
  { prompt, settings, grammar, output }: Generation,
  signal: AbortSignal,
): Promise<{ text: string; prompt: string | number[] }> {
  const request = { ...settings, ...(grammar && !output.thinks && { grammar }) };
  try {
    await pass.open({ ...request, prompt: prompt.text });
    return { text: prompt.text, prompt: prompt.text };
  } catch (error) {
    if (!(error instanceof ContextExceeded)) throw error;
    await pass.close();
    const fitted = await fitPrompt(pass.model, prompt, error, signal);
    await pass.open({ ...request, prompt: fitted.prompt });
    return fitted;
  }
}

/** The pass after the thinking. False when the thinking left no room for an answer. */
async function openAnswer(
  pass: EnginePass,
  { settings, grammar }: Generation,
  prompt: string | number[],
  said: string,
  signal: AbortSignal,
): Promise<boolean> {
  const whole =
    typeof prompt === 'string' ? prompt + said : [...prompt, ...(await pass.model.tokenize(said, signal))];
  const left = settings.maxTokens - pass.generated;
  if (left <= 0) return false;
  try {
    await pass.open({ ...settings, maxTokens: left, prompt: whole, ...(grammar && { grammar }) });
    return true;
  } catch (error) {
    if (error instanceof ContextExceeded) return false;
    throw error;
  }
}

function newAnswer({ prompt, stop }: Generation, output: OutputParser): Answer {
  return new Answer({
    stop,
    watchRepetition: !prompt.native,
    output,
    newCallId: () => toolCallId(prompt.native),
    callsWithEnd: prompt.native,
  });
}

/** Calls of the engine, one after the other, each ended before the next and before the model is given back. */
class EnginePass {
  generated = 0;
  #end = new AbortController();
  #iterator: AsyncIterator<EngineEvent> | undefined;
  #first: EngineEvent | undefined;

  constructor(
    readonly model: LanguageModel,
    readonly meter: Meter,
    readonly images: Uint8Array[],
    readonly signal: AbortSignal,
  ) {}

  /** Settles when the engine has taken the prompt. */
  async open(request: GenerateRequest): Promise<void> {
    this.meter.begin();
    this.#end = new AbortController();
    const signal = AbortSignal.any([this.signal, this.#end.signal]);
    this.#iterator = this.model.generate(this.#withImages(request), signal)[Symbol.asyncIterator]();
    this.#first = await this.#read();
  }

  #withImages(request: GenerateRequest): GenerateRequest {
    if (this.images.length === 0 || typeof request.prompt !== 'string') return request;
    return { ...request, ...toMediaPrompt(request.prompt, this.images) };
  }

  async next(): Promise<EngineEvent | undefined> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#read();
  }

  /** Ends the answer here. */
  async stop(): Promise<void> {
    this.meter.stopped();
    await this.close();
  }

  async close(): Promise<void> {
    const iterator = this.#iterator;
    this.#iterator = undefined;
    this.#end.abort();
    await iterator?.return?.().catch(() => {});
  }

  async #read(): Promise<EngineEvent | undefined> {
    const result = await this.#iterator?.next();
    if (!result || result.done) return undefined;
    this.meter.see(result.value);
    if (result.value.type === 'token') this.generated++;
    return result.value;
  }
}
