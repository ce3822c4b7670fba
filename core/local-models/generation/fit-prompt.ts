/** What is done with a prompt that does not fit the context. */
import type { ContextExceeded, LanguageModel } from '#core/host';
import { ApiError } from '#core/http';
import { contextExceeded } from '../base/engine-errors.ts';
import type { Message } from '../base/messages.ts';
import { countPlaceholders, withoutPlaceholders } from '../prompting/image-placeholders.ts';

const TOO_LONG =
  'the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length';

export interface LongPrompt {
  text: string;
  /** Absent for a raw prompt, which has no messages to drop. */
  messages: Message[];
  render(messages: Message[]): string;
  truncate: boolean;
  shift: boolean;
  /** Prompts of models that render their own chat template are never cut within a message. */
  native: boolean;
  /** Tokens kept at the beginning of a prompt that is cut. */
  keep: number;
}

/**
 * The prompt without its oldest messages (system messages and the last one stay), or, when the last alone is too long,
 * its first `keep` tokens and its end. `text` is what was rendered, before any cut. Throws ApiError 400.
 */
export async function fitPrompt(
  model: LanguageModel,
  prompt: LongPrompt,
  exceeded: ContextExceeded,
  signal: AbortSignal,
): Promise<{ text: string; prompt: string | number[] }> {
  const { contextLength } = model;
  if (!prompt.truncate) throw contextExceeded(exceeded.promptTokens, contextLength);
  const { messages } = prompt;
  const without = (dropped: number) => {
    const system = messages.slice(0, dropped).filter(({ role }) => role === 'system');
    return prompt.render([...system, ...messages.slice(dropped)]);
  };
  const tokenize = (text: string) => model.tokenize(withoutPlaceholders(text), signal);
  const places = countPlaceholders(prompt.text);
  // What an image takes is known only to the engine, which counted the whole prompt.
  const perImage =
    places === 0 ? 0 : Math.ceil((exceeded.promptTokens - (await tokenize(prompt.text)).length) / places);
  // The fewest messages to drop, by bisection: every look costs a pass of the tokenizer.
  let low = 1;
  let high = messages.length;
  let fitting: string | undefined;
  let tokens: number[] | undefined;
  let text = prompt.text;
  while (low < high) {
    const middle = (low + high) >> 1;
    const candidate = without(middle);
    const candidateTokens = await tokenize(candidate);
    if (candidateTokens.length + countPlaceholders(candidate) * perImage < contextLength) {
      fitting = candidate;
      high = middle;
    } else {
      if (middle === messages.length - 1) {
        text = candidate;
        tokens = candidateTokens;
      }
      low = middle + 1;
    }
  }
  if (fitting !== undefined) return { text: fitting, prompt: fitting };
  tokens ??= await tokenize(text);
  if (countPlaceholders(text) > 0) throw contextExceeded(exceeded.promptTokens, contextLength);
  if (prompt.native) throw contextExceeded(tokens.length, contextLength);
  if (!prompt.shift) throw new ApiError(400, TOO_LONG);
  const keep = Math.min(prompt.keep, contextLength - 2);
  const end = Math.floor((contextLength - keep) / 2);
  return { text, prompt: [...tokens.slice(0, keep), ...tokens.slice(tokens.length - end)] };
}
