import { TextDecoder } from 'node:util';
import { ContextExceeded, type EngineCounts, type GenerateRequest, RequestRefused } from '#core/host';
import { LlamaGrammarEvaluationState, type Token } from '../llama-library.ts';
import type { EventBatch } from './event-batch.ts';
import type { RawLogprobs } from './library-internals.ts';
import type { LoadedLlama } from './load-model.ts';
import type { NativeSampler } from './native.ts';
import { samplerConfig } from './sampling.ts';
import type { SequenceSlot } from './sequence-slots.ts';

/** The state of one generation. */
interface Generation {
  loaded: LoadedLlama;
  request: GenerateRequest;
  prompt: Token[];
  slot: SequenceSlot;
  sampler: NativeSampler;
  counts: EngineCounts;
  out: EventBatch;
}

interface Sampled {
  token: Token;
  logprobs: RawLogprobs | undefined;
}

/** Runs one request and pushes its events. The last one is `end`, unless the request was stopped. */
export async function runGeneration(
  loaded: LoadedLlama,
  request: GenerateRequest,
  out: EventBatch,
): Promise<void> {
  const { vocabulary, slots, native } = loaded;
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
  const slot = await slots.take(prompt);
  const sampler = native.newSampler();
  try {
    if (out.stopped) return;
    sampler.applyConfig(samplerConfig(request.sampling, prompt, contextLength, grammar));
    const reason = await run({ loaded, request, prompt, slot, sampler, counts, out });
    if (reason === undefined) return;
    out.push({ type: 'end', reason, counts });
    out.flush();
  } finally {
    sampler.dispose();
    slots.release(slot);
  }
}

/** Generates tokens. Returns the reason for the end, or undefined if the request was stopped. */
async function run(generation: Generation): Promise<'stop' | 'length' | undefined> {
  const { loaded, request, prompt, slot, counts, out } = generation;
  const { batcher } = loaded;
  // As in llama-server, an empty prompt has an empty answer.
  if (prompt.length === 0) return 'stop';
  const started = process.hrtime.bigint();
  const rest = await evaluatePrompt(generation);
  if (out.stopped) return undefined;
  if (request.maxTokens <= 0) {
    await batcher.evaluate(slot, rest);
    counts.promptDuration = Number(process.hrtime.bigint() - started);
    return 'length';
  }
  let sampled = await batcher.evaluate(slot, rest, (output) => sample(generation, output));
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
    pushToken(generation, sampled, text);
    // Evaluating this token would fill the last cell, which llama.cpp keeps free.
    const full = slot.tokens.length >= loaded.loaded.contextLength - 1;
    if (counts.generatedTokens >= request.maxTokens || (full && !request.shift)) {
      counts.generateDuration = Number(process.hrtime.bigint() - generating);
      return 'length';
    }
    if (full) {
      // Pending events are sent first, because a shift takes a while.
      out.flush();
      await shiftContext(generation);
    }
    const room = out.waitForCredit();
    if (room) await room;
    if (out.stopped) return undefined;
    sampled = await batcher.evaluate(slot, [sampled.token], (output) => sample(generation, output));
  }
}

/**
 * Reuses the slot's tokens and evaluates the prompt except its last piece. Returns that piece, at least one
 * token: sampling needs the logits of the last one.
 */
async function evaluatePrompt({ loaded, prompt, slot, counts, out }: Generation): Promise<Token[]> {
  const { batcher, window } = loaded;
  let at = batcher.keep(slot, prompt, window);
  counts.cachedTokens = at;
  out.push({ type: 'progress', processed: at, total: prompt.length });
  out.flush();
  while (prompt.length - at > batcher.piece && !out.stopped) {
    await batcher.evaluate(slot, prompt.slice(at, at + batcher.piece));
    at += batcher.piece;
    out.push({ type: 'progress', processed: at, total: prompt.length });
  }
  return prompt.slice(at);
}

async function sample({ loaded, request, sampler }: Generation, output: number): Promise<Sampled> {
  const token = await loaded.native.context.sampleToken(output, sampler);
  if (token === -1) throw new Error('no token could be sampled');
  const { topLogprobs } = request;
  return {
    token,
    logprobs:
      topLogprobs === undefined ? undefined : await loaded.internals.logprobs(output, token, topLogprobs),
  };
}

function pushToken(
  { loaded, counts, out }: Generation,
  { token, logprobs }: Sampled,
  text: TextDecoder,
): void {
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

/**
 * Removes the older half of the tokens after the first `keep` ones, as llama-server does when the context is
 * full.
 */
async function shiftContext({ loaded, request, slot }: Generation): Promise<void> {
  const { batcher } = loaded;
  const used = slot.tokens.length;
  const start = Math.min(Math.max(request.keep, 1), loaded.loaded.contextLength - 4, used - 2);
  const end = start + Math.max(1, Math.floor((used - start) / 2));
  const left = [...slot.tokens.slice(0, start), ...slot.tokens.slice(end)];
  if (batcher.shift(slot, start, end)) return;
  // This model's cache cannot remove a part, so the remaining tokens are evaluated again.
  for (let at = 0; at < left.length; at += batcher.piece) {
    await batcher.evaluate(slot, left.slice(at, at + batcher.piece));
  }
}

async function grammarState(
  { llama, model }: LoadedLlama,
  grammar: string | undefined,
): Promise<LlamaGrammarEvaluationState | undefined> {
  if (grammar === undefined) return undefined;
  try {
    return new LlamaGrammarEvaluationState({ model, grammar: await llama.createGrammar({ grammar }) });
  } catch (error) {
    throw new RequestRefused(`the grammar cannot be used: ${(error as Error).message}`);
  }
}
