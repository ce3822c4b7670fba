import { TextDecoder } from 'node:util';
import { ContextExceeded, type EngineCounts, type GenerateRequest, RequestRefused } from '#core/host';
import { LlamaGrammarEvaluationState, type Token } from '../llama-library.ts';
import type { EventBatch } from './event-batch.ts';
import type { RawLogprobs } from './library-internals.ts';
import type { LoadedModel } from './load-model.ts';
import type { NativeSampler } from './native.ts';
import type { Place } from './place.ts';
import { samplerConfig } from './sampling.ts';

/** What a generation works with. */
interface Work {
  loaded: LoadedModel;
  request: GenerateRequest;
  prompt: Token[];
  place: Place;
  sampler: NativeSampler;
  counts: EngineCounts;
  out: EventBatch;
}

interface Sampled {
  token: Token;
  logprobs: RawLogprobs | undefined;
}

/** Runs one request and pushes its events, the last one being `end` unless it was stopped. */
export async function generate(
  loaded: LoadedModel,
  request: GenerateRequest,
  out: EventBatch,
): Promise<void> {
  const { vocabulary, places, native } = loaded;
  const { contextLength } = loaded.loaded;
  const prompt =
    typeof request.prompt === 'string'
      ? vocabulary.tokenize(request.prompt)
      : vocabulary.checked(request.prompt);
  if (prompt.length >= contextLength) throw new ContextExceeded(prompt.length, contextLength);
  const grammar = await grammarState(loaded, request.grammar);
  const counts: EngineCounts = {
    promptTokens: prompt.length,
    cachedTokens: 0,
    generatedTokens: 0,
    promptDuration: 0,
    generateDuration: 0,
  };
  const place = await places.take(prompt);
  const sampler = native.newSampler();
  try {
    if (out.stopped) return;
    sampler.applyConfig(samplerConfig(request.sampling, prompt, contextLength, grammar));
    const reason = await run({ loaded, request, prompt, place, sampler, counts, out });
    if (reason === undefined) return;
    out.push({ type: 'end', reason, counts });
    out.flush();
  } finally {
    sampler.dispose();
    places.give(place);
  }
}

/** Why it ended; undefined when it was stopped. */
async function run(work: Work): Promise<'stop' | 'length' | undefined> {
  const { loaded, request, prompt, place, counts, out } = work;
  const { batcher } = loaded;
  // Nothing to go on from: as llama-server does, an empty answer.
  if (prompt.length === 0) return 'stop';
  const started = process.hrtime.bigint();
  const rest = await evaluatePrompt(work);
  if (out.stopped) return undefined;
  if (request.maxTokens <= 0) {
    await batcher.evaluate(place, rest);
    counts.promptDuration = Number(process.hrtime.bigint() - started);
    return 'length';
  }
  let sampled = await batcher.evaluate(place, rest, (output) => sample(work, output));
  const generating = process.hrtime.bigint();
  counts.promptDuration = Number(generating - started);
  out.push({ type: 'progress', processed: prompt.length, total: prompt.length });
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  for (;;) {
    counts.generatedTokens += 1;
    if (out.stopped) return undefined;
    if (loaded.model.isEogToken(sampled.token)) {
      counts.generateDuration = Number(process.hrtime.bigint() - generating);
      return 'stop';
    }
    tell(work, sampled, text);
    // Evaluating this token would take the last place, which llama.cpp keeps free.
    const full = place.tokens.length >= loaded.loaded.contextLength - 1;
    if (counts.generatedTokens >= request.maxTokens || (full && !request.shift)) {
      counts.generateDuration = Number(process.hrtime.bigint() - generating);
      return 'length';
    }
    if (full) {
      // A shift takes a while: what is ready goes out before.
      out.flush();
      await shift(work);
    }
    const room = out.room();
    if (room) await room;
    if (out.stopped) return undefined;
    sampled = await batcher.evaluate(place, [sampled.token], (output) => sample(work, output));
  }
}

/**
 * Keeps what the place shares with the prompt, evaluates most of the rest, and returns what is left for the step that
 * also samples: at least one token, as sampling needs the logits behind it.
 */
async function evaluatePrompt({ loaded, prompt, place, counts, out }: Work): Promise<Token[]> {
  const { batcher, window } = loaded;
  let at = batcher.keep(place, prompt, window);
  counts.cachedTokens = at;
  out.push({ type: 'progress', processed: at, total: prompt.length });
  out.flush();
  while (prompt.length - at > batcher.piece && !out.stopped) {
    await batcher.evaluate(place, prompt.slice(at, at + batcher.piece));
    at += batcher.piece;
    out.push({ type: 'progress', processed: at, total: prompt.length });
  }
  return prompt.slice(at);
}

async function sample({ loaded, request, sampler }: Work, output: number): Promise<Sampled> {
  const token = await loaded.native.context.sampleToken(output, sampler);
  if (token === -1) throw new Error('no token could be sampled');
  const { topLogprobs } = request;
  return {
    token,
    logprobs:
      topLogprobs === undefined ? undefined : await loaded.internals.logprobs(output, token, topLogprobs),
  };
}

function tell({ loaded, counts, out }: Work, { token, logprobs }: Sampled, text: TextDecoder): void {
  const tokenLogprob = (id: Token, logprob: number) => {
    const bytes = loaded.vocabulary.bytes(id);
    return { token: Buffer.from(bytes).toString('utf8'), bytes: [...bytes], logprob };
  };
  out.push({
    type: 'token',
    text: text.decode(loaded.vocabulary.bytes(token), { stream: true }),
    id: token,
    ...(logprobs && {
      logprob: {
        ...tokenLogprob(token, logprobs.logprob),
        top: logprobs.top.map((candidate) => tokenLogprob(candidate.token, candidate.logprob)),
      },
    }),
  });
  if (counts.generatedTokens === 1) out.flush();
}

/** A full context loses the older half of what comes behind the first `keep` tokens, as in llama-server. */
async function shift({ loaded, request, place }: Work): Promise<void> {
  const { batcher } = loaded;
  const used = place.tokens.length;
  const start = Math.min(Math.max(request.keep, 1), loaded.loaded.contextLength - 4, used - 2);
  const end = start + Math.max(1, Math.floor((used - start) / 2));
  const left = [...place.tokens.slice(0, start), ...place.tokens.slice(end)];
  if (batcher.shift(place, start, end)) return;
  // This model's memory cannot forget a part: what is left is read again.
  for (let at = 0; at < left.length; at += batcher.piece) {
    await batcher.evaluate(place, left.slice(at, at + batcher.piece));
  }
}

async function grammarState(
  { llama, model }: LoadedModel,
  grammar: string | undefined,
): Promise<LlamaGrammarEvaluationState | undefined> {
  if (grammar === undefined) return undefined;
  try {
    return new LlamaGrammarEvaluationState({ model, grammar: await llama.createGrammar({ grammar }) });
  } catch (error) {
    throw new RequestRefused(`the grammar cannot be used: ${(error as Error).message}`);
  }
}
