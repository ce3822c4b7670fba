import { ContextExceeded, type GenerateRequest, MEDIA_MARKER, RequestRefused } from '#core/host';
import type { EventBatch } from '../process/event-batch.ts';
import { GRAMMAR_REFUSED } from './failures.ts';
import type { ImageModel } from './load.ts';
import { MEDIA_MARK, type NativeCompletion } from './native-library.ts';
import { toReadableMedia } from './readable-media.ts';

/** Nanoseconds in a millisecond. */
const NANOSECONDS = 1e6;

/**
 * Generates tokens for a prompt with images. Pushes events, the last of which is `end`, unless the request was stopped.
 * @throws ContextExceeded, RequestRefused: the model can be used further; any other error leaves it unusable
 */
export async function completeWithImages(
  model: ImageModel,
  request: GenerateRequest,
  out: EventBatch,
): Promise<void> {
  const { context, contextLength } = model;
  if (request.topLogprobs !== undefined)
    throw new RequestRefused(
      'the engine for images gives no log-probabilities of tokens; ask without logprobs',
    );
  const takes = context.getMultimodalSupport();
  const images: string[] = [];
  for (const [index, file] of request.media!.entries()) {
    images.push(await toReadableMedia(file, index, takes));
    if (out.stopped) return;
  }
  const prompt = await promptText(model, request.prompt);
  const { tokens } = await context.tokenize(prompt, images);
  const total = tokens.length;
  if (total >= contextLength) throw new ContextExceeded(total, contextLength);
  if (out.stopped) return;
  out.push({ type: 'progress', processed: 0, total });
  out.flush();
  let sent = '';
  let isOver = false;
  const push = (text: string) => {
    if (sent === '') out.push({ type: 'progress', processed: total, total });
    out.push({ type: 'token', text });
    if (sent === '') out.flush();
    sent += text;
  };
  const options = completionOptions(request, prompt, images, contextLength);
  const onText = ({ token }: { token: string }) => {
    if (!isOver && token !== '') push(token);
  };
  const result = await context.completion(options, onText).catch((error: Error) => {
    const isGrammarAtFault = request.grammar !== undefined && /sampling|grammar/i.test(error.message);
    throw isGrammarAtFault ? new RequestRefused(`${GRAMMAR_REFUSED}: ${error.message}`) : error;
  });
  isOver = true;
  if (out.stopped) return;
  // The library may deliver the last texts after the result, which has the whole text.
  if (result.text.length > sent.length) push(result.text.slice(sent.length));
  const { prompt_n, prompt_ms, predicted_ms } = result.timings;
  out.push({
    type: 'end',
    reason: result.stopped_eos ? 'stop' : 'length',
    counts: {
      promptTokens: total,
      cachedTokens: Math.max(0, total - prompt_n),
      generatedTokens: result.tokens_predicted,
      promptDuration: Math.round(prompt_ms * NANOSECONDS),
      generateDuration: Math.round(predicted_ms * NANOSECONDS),
    },
  });
  out.flush();
}

async function promptText(
  { context, addedBos }: ImageModel,
  prompt: GenerateRequest['prompt'],
): Promise<string> {
  const text = typeof prompt === 'string' ? prompt : await context.detokenize(prompt);
  const rest = addedBos && text.startsWith(addedBos) ? text.slice(addedBos.length) : text;
  // A mark in the user's text would stand for an image that does not exist.
  return rest.replaceAll(MEDIA_MARK, '').replaceAll(MEDIA_MARKER, MEDIA_MARK);
}

function completionOptions(
  { sampling, maxTokens, grammar }: GenerateRequest,
  prompt: string,
  images: string[],
  contextLength: number,
): NativeCompletion {
  return {
    prompt,
    media_paths: images,
    n_predict: Math.max(0, Math.min(maxTokens, contextLength)),
    // The library reads a signed number.
    seed: sampling.seed | 0,
    temperature: sampling.temperature,
    top_k: sampling.topK,
    top_p: sampling.topP,
    min_p: sampling.minP,
    typical_p: sampling.typicalP,
    penalty_last_n: sampling.repeatLastN,
    penalty_repeat: sampling.repeatPenalty,
    penalty_present: sampling.presencePenalty,
    penalty_freq: sampling.frequencyPenalty,
    // The library's defaults would draw unlikely tokens, even at temperature 0 and against the grammar.
    xtc_probability: 0,
    dry_multiplier: 0,
    ...(grammar !== undefined && { grammar }),
  };
}
