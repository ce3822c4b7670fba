/** Writes texts with the language model of a text encoder, token by token. */
import { MersenneTwister } from '../../sampling/random/mersenne-twister.ts';
import { bestToken, drawToken } from '../../text/choose-token.ts';
import type { PromptTokenizer } from '../../text/prompt-tokens.ts';
import type { WritingRequest } from '../../values/clip-model.ts';
import { OpenWriter } from './open-writer.ts';
import type { ChatForm, TextEncoderModel, TextWriter } from './text-encoder-model.ts';

/** A longer prompt would take minutes and gigabytes. */
const MAX_PROMPT = 8192;
const WORD_VALUES = 2 ** 32;

/**
 * The text that the model writes, without special tokens. Frees the model afterwards: the encoder needs the memory.
 * Rejects with the engine's error, the signal's reason, and for a prompt that is too long.
 */
export async function writeText(
  encoder: TextEncoderModel,
  request: WritingRequest,
  signal: AbortSignal,
): Promise<string> {
  const writer = encoder.writer!;
  const tokenizer =
    typeof encoder.tokenizer === 'function' ? await encoder.tokenizer(signal) : encoder.tokenizer;
  if (!tokenizer.text)
    throw new Error('the tokenizer of this text encoder reads texts, but cannot write any');
  const tokens = tokenizer.tokens(framed(writer.chat, request));
  if (tokenizer.start !== undefined) tokens.unshift(tokenizer.start);
  if (tokens.length > MAX_PROMPT)
    throw new RangeError(`the prompt has ${tokens.length} tokens: shorten it to ${MAX_PROMPT} or fewer`);
  try {
    return tokenizer.text(await written(writer, tokenizer, tokens, request, signal)).trim();
  } finally {
    await writer.graph.unload();
  }
}

function framed({ before, after, withoutThinking = '' }: ChatForm, request: WritingRequest): string {
  const { prompt, isChat, thinks } = request;
  return isChat ? before + prompt + after + (thinks ? '' : withoutThinking) : prompt;
}

async function written(
  writer: TextWriter,
  tokenizer: PromptTokenizer,
  prompt: readonly number[],
  { sampling, maxTokens, onToken }: WritingRequest,
  signal: AbortSignal,
): Promise<number[]> {
  const stops = new Set(writer.chat.stops.map((stop) => tokenizer.special?.(stop)));
  if (tokenizer.end !== undefined) stops.add(tokenizer.end);
  const random = new MersenneTwister(Number(BigInt.asUintN(32, sampling?.seed ?? 0n)));
  const model = new OpenWriter(writer, signal);
  const tokens: number[] = [];
  let [scores] = await model.read([prompt]);
  while (tokens.length < maxTokens) {
    const token = sampling
      ? drawToken(scores!, tokens, sampling, random.word() / WORD_VALUES)
      : bestToken(scores!);
    if (stops.has(token)) break;
    tokens.push(token);
    await onToken(tokens.length);
    if (tokens.length < maxTokens) [scores] = await model.read([[token]]);
  }
  return tokens;
}
