/** Writes texts with the language model of a text encoder, token by token. */
import { MersenneTwister } from '../../sampling/random/mersenne-twister.ts';
import { bestToken, drawToken } from '../../text/choose-token.ts';
import type { PromptTokenizer } from '../../text/prompt-tokens.ts';
import type { WritingRequest } from '../../values/clip-model.ts';
import { checkPromptLength, OpenWriter } from './open-writer.ts';
import { type ChatForm, type TextEncoderModel, type TextWriter, tokenizerOf } from './text-encoder-model.ts';

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
  const tokenizer = await tokenizerOf(encoder, signal);
  if (!tokenizer.text)
    throw new Error('the tokenizer of this text encoder reads texts, but cannot write any');
  const tokens = tokenizer.tokens(framed(writer.chat, request));
  if (tokenizer.start !== undefined) tokens.unshift(tokenizer.start);
  checkPromptLength(tokens.length);
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
    const token = sampling ? drawToken(scores!, tokens, sampling, random.fraction()) : bestToken(scores!);
    if (stops.has(token)) break;
    tokens.push(token);
    await onToken(tokens.length);
    if (tokens.length < maxTokens) [scores] = await model.read([[token]]);
  }
  return tokens;
}
