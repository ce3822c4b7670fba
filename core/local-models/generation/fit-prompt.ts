import type { ContextExceeded, LanguageModel } from '#core/host';
import { ApiError } from '#core/http';
import { contextExceeded } from '../base/engine-errors.ts';
import { countPlaceholders, withoutPlaceholders } from '../prompting/image-placeholders.ts';
import type { RenderedPrompt } from './prompt.ts';

const TOO_LONG =
  'the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length';

/** A prompt as text, with placeholders for images, and as the engine takes it: text, or tokens when it was cut. */
export interface FittedPrompt {
  text: string;
  prompt: string | number[];
}

/**
 * Shortens a prompt that exceeds the context. It drops the oldest messages, except system messages and the last one.
 * When the last message alone is too long, it keeps the first `keep` tokens and the end.
 * @param exceeded the engine's refusal of the complete prompt
 * @returns with `text` as rendered, before any cut within a message
 * @throws ApiError 400 when the prompt must not or cannot be shortened
 */
export async function fitPrompt(
  model: LanguageModel,
  prompt: RenderedPrompt,
  exceeded: ContextExceeded,
  signal: AbortSignal,
): Promise<FittedPrompt> {
  const { contextLength } = model;
  if (!prompt.truncate) throw contextExceeded(exceeded.promptTokens, contextLength);
  const { fitting, last } = await dropMessages(model, prompt, exceeded, signal);
  if (fitting !== undefined) return { text: fitting, prompt: fitting };
  const text = last?.text ?? prompt.text;
  const tokens = last?.tokens ?? (await model.tokenize(withoutPlaceholders(text), signal));
  if (countPlaceholders(text) > 0) throw contextExceeded(exceeded.promptTokens, contextLength);
  if (prompt.native) throw contextExceeded(tokens.length, contextLength);
  if (!prompt.shift) throw new ApiError(400, TOO_LONG);
  const keep = Math.min(prompt.keep, contextLength - 2);
  const end = Math.floor((contextLength - keep) / 2);
  return { text, prompt: [...tokens.slice(0, keep), ...tokens.slice(tokens.length - end)] };
}

/**
 * Finds the fewest messages to drop, by bisection, because each attempt costs a pass of the tokenizer.
 * @returns `fitting`: the prompt without them; or `last`: the prompt of the last message alone, when it was tried
 */
async function dropMessages(
  model: LanguageModel,
  prompt: RenderedPrompt,
  exceeded: ContextExceeded,
  signal: AbortSignal,
): Promise<{ fitting?: string; last?: { text: string; tokens: number[] } }> {
  const { messages } = prompt;
  const renderWithout = (dropped: number) => {
    const system = messages.slice(0, dropped).filter(({ role }) => role === 'system');
    return prompt.render([...system, ...messages.slice(dropped)]);
  };
  const tokenize = (text: string) => model.tokenize(withoutPlaceholders(text), signal);
  const imageCount = countPlaceholders(prompt.text);
  // Only the engine knows how many tokens an image takes; its count of the complete prompt shows it.
  const tokensPerImage =
    imageCount === 0
      ? 0
      : Math.ceil((exceeded.promptTokens - (await tokenize(prompt.text)).length) / imageCount);
  let low = 1;
  let high = messages.length;
  let fitting: string | undefined;
  let last: { text: string; tokens: number[] } | undefined;
  while (low < high) {
    const middle = (low + high) >> 1;
    const text = renderWithout(middle);
    const tokens = await tokenize(text);
    if (tokens.length + countPlaceholders(text) * tokensPerImage < model.contextLength) {
      fitting = text;
      high = middle;
    } else {
      if (middle === messages.length - 1) last = { text, tokens };
      low = middle + 1;
    }
  }
  return { ...(fitting !== undefined && { fitting }), ...(last && { last }) };
}
