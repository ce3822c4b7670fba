/** Generates one answer with a loaded model. */
import { ContextExceeded, type GenerateRequest, type LanguageModel } from '#core/host';
import { withoutPlaceholders } from '../prompting/image-placeholders.ts';
import type { OutputParser } from '../prompting/output/output-parser.ts';
import { toolCallId } from '../prompting/output/tool-calls/tool-call-id.ts';
import { AnswerDecoder } from './answer-decoder.ts';
import { EngineStream } from './engine-stream.ts';
import { type FittedPrompt, fitPrompt } from './fit-prompt.ts';
import type { Generation } from './generation.ts';
import type { Meter } from './meter.ts';
import type { RenderedPrompt } from './prompt.ts';
import type { RunOutput } from './run.ts';
import { maxTokens } from './sampling.ts';

export interface Outcome {
  reason: 'stop' | 'length';
  /** Tokens of prompt and answer, where the generation asks for them. */
  context?: number[];
}

/**
 * Emits the events of the answer, except the last one.
 * @throws what the engine throws; ApiError 400 for a prompt that does not fit
 */
export async function generateAnswer(
  model: LanguageModel,
  generation: Generation,
  meter: Meter,
  run: RunOutput,
): Promise<Outcome> {
  const { grammar, output } = generation;
  const prompt = await withContext(model, generation, run.signal);
  const stream = new EngineStream(model, meter, prompt.images, run.signal);
  try {
    const fitted = await open(stream, generation, prompt, run.signal);
    run.accepted();
    const parser = output.parser(fitted.text);
    let decoder = newDecoder(generation, parser);
    if (prompt.prefill !== '') await run.emit({ type: 'text', content: prompt.prefill, thinking: '' });
    // The grammar must not bind the thinking, so the answer after it is a generation of its own.
    const isFree = grammar !== undefined && output.thinks;
    let { reason, thought } = await emitTokens(stream, decoder, run, isFree ? parser : undefined);
    if (thought !== undefined) {
      decoder = newDecoder(generation, output.answerParser());
      const isOpen = await reopen(stream, generation, fitted.prompt, thought, run.signal);
      reason = isOpen ? (await emitTokens(stream, decoder, run)).reason : 'length';
    }
    for (const event of decoder.finish()) await run.emit(event);
    await stream.close();
    if (!generation.returnsContext) return { reason };
    const text = withoutPlaceholders(fitted.text) + (thought ?? '') + decoder.raw;
    return { reason, context: await model.tokenize(text, run.signal) };
  } finally {
    await stream.close();
  }
}

/** The prompt with the text of earlier prompts and answers before it. */
async function withContext(
  model: LanguageModel,
  { prompt, context }: Generation,
  signal: AbortSignal,
): Promise<RenderedPrompt> {
  if (context.length === 0) return prompt;
  const earlier = await model.detokenize(context, signal);
  return {
    ...prompt,
    text: earlier + prompt.text,
    render: (messages) => earlier + prompt.render(messages),
  };
}

/**
 * Emits events until the engine ends or the decoder does.
 * @param thinking ends the stream, too, as soon as this parser has read the thinking
 * @returns `thought`: the output up to the answer, when the thinking ended the stream
 */
async function emitTokens(
  stream: EngineStream,
  decoder: AnswerDecoder,
  run: RunOutput,
  thinking?: OutputParser,
): Promise<{ reason: Outcome['reason']; thought?: string }> {
  let reason: Outcome['reason'] = 'stop';
  for (let event = await stream.next(); event; event = await stream.next()) {
    if (event.type === 'end') reason = event.reason;
    if (event.type !== 'token') continue;
    const { events, ended } = decoder.push(event);
    const thought = thinking?.textBeforeAnswer;
    for (const event of events) {
      // Text after the thinking is dropped: the model generates it again, bound by the grammar.
      if (thought === undefined || (event.type === 'text' && event.thinking !== '')) await run.emit(event);
    }
    if (thought === undefined && !ended) continue;
    await stream.stop();
    return thought === undefined ? { reason: ended! } : { reason, thought };
  }
  return { reason };
}

/** Hands the prompt to the engine, shortened when it does not fit. */
async function open(
  stream: EngineStream,
  generation: Generation,
  prompt: RenderedPrompt,
  signal: AbortSignal,
): Promise<FittedPrompt> {
  const { grammar, output } = generation;
  const request = {
    ...engineRequest(stream.model, generation),
    ...(grammar && !output.thinks && { grammar }),
  };
  try {
    await stream.open({ ...request, prompt: prompt.text });
    return { text: prompt.text, prompt: prompt.text };
  } catch (error) {
    if (!(error instanceof ContextExceeded)) throw error;
    await stream.close();
    const fitted = await fitPrompt(stream.model, prompt, error, signal);
    await stream.open({ ...request, prompt: fitted.prompt });
    return fitted;
  }
}

/** Starts the generation after the thinking. Returns false when the thinking left no room for an answer. */
async function reopen(
  stream: EngineStream,
  generation: Generation,
  prompt: string | number[],
  thought: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { model } = stream;
  const continued =
    typeof prompt === 'string' ? prompt + thought : [...prompt, ...(await model.tokenize(thought, signal))];
  const request = engineRequest(model, generation);
  const left = request.maxTokens - stream.generated;
  if (left <= 0) return false;
  const { grammar } = generation;
  try {
    await stream.open({ ...request, maxTokens: left, prompt: continued, ...(grammar && { grammar }) });
    return true;
  } catch (error) {
    if (error instanceof ContextExceeded) return false;
    throw error;
  }
}

function engineRequest(
  { contextLength }: LanguageModel,
  { prompt, sampling, numPredict, topLogprobs }: Generation,
): Omit<GenerateRequest, 'prompt' | 'grammar'> {
  return {
    sampling,
    maxTokens: maxTokens(numPredict, contextLength),
    keep: prompt.keep,
    shift: prompt.shift,
    ...(topLogprobs !== undefined && { topLogprobs }),
  };
}

function newDecoder({ prompt, stop }: Generation, output: OutputParser): AnswerDecoder {
  return new AnswerDecoder({
    stop,
    limitRepetition: !prompt.native,
    output,
    newCallId: () => toolCallId(prompt.native),
    callsWithEnd: prompt.native,
  });
}
