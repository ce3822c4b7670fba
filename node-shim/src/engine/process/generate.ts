import {
  ContextExceeded,
  type EngineCounts,
  type GenerateRequest,
} from '../../../../core/host/language-engine.ts';
import { LlamaGrammarEvaluationState, type SequenceEvaluateOptions, type Token } from '../llama-library.ts';
import type { EventBatch } from './event-batch.ts';
import { RequestError } from './failures.ts';
import type { LoadedModel } from './load-model.ts';
import { samplingOptions } from './sampling.ts';

/** Runs one request and pushes its events, the last one being `end` unless it was stopped. */
export async function generate(
  loaded: LoadedModel,
  request: GenerateRequest,
  out: EventBatch,
): Promise<void> {
  const { model, sequence, vocabulary, internals } = loaded;
  const { contextLength } = loaded.loaded;
  if (out.stopped) return;
  const prompt =
    typeof request.prompt === 'string'
      ? vocabulary.tokenize(request.prompt)
      : vocabulary.checked(request.prompt);
  if (prompt.length >= contextLength) throw new ContextExceeded(prompt.length, contextLength);
  const grammarEvaluationState = await grammarState(loaded, request.grammar);

  const counts: EngineCounts = {
    promptTokens: prompt.length,
    cachedTokens: 0,
    generatedTokens: 0,
    promptDuration: 0,
    generateDuration: 0,
  };
  const finish = (reason: 'stop' | 'length') => {
    out.push({ type: 'end', reason, counts });
    out.flush();
  };
  // Nothing to go on from: as llama-server does, an empty answer.
  if (prompt.length === 0) return finish('stop');

  loaded.pace?.begin();
  const started = process.hrtime.bigint();
  const rest = await evaluatePrompt(loaded, prompt, counts, out);
  if (out.stopped) return;
  if (request.maxTokens <= 0) {
    await sequence.evaluateWithoutGeneratingNewTokens(rest);
    counts.promptDuration = Number(process.hrtime.bigint() - started);
    return finish('length');
  }

  const history = [...prompt];
  const options: SequenceEvaluateOptions = {
    ...samplingOptions(request.sampling, history),
    yieldEogToken: true,
    contextShift: shift(Math.max(request.keep, 1), contextLength),
    ...(grammarEvaluationState ? { grammarEvaluationState } : {}),
  };
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  let generating = started;
  for await (const token of sequence.evaluate(rest, options)) {
    counts.generatedTokens += 1;
    if (counts.generatedTokens === 1) {
      generating = process.hrtime.bigint();
      counts.promptDuration = Number(generating - started);
      out.push({ type: 'progress', processed: prompt.length, total: prompt.length });
    }
    if (out.stopped) return;
    if (model.isEogToken(token)) {
      counts.generateDuration = Number(process.hrtime.bigint() - generating);
      return finish('stop');
    }
    const bytes = vocabulary.bytes(token);
    out.push({
      type: 'token',
      text: text.decode(bytes, { stream: true }),
      id: token,
      ...(request.topLogprobs === undefined ? {} : { logprob: await logprob(token, request.topLogprobs) }),
    });
    if (counts.generatedTokens === 1) out.flush();
    history.push(token);
    // Evaluating this token would take the last place, which llama.cpp keeps free.
    const full = sequence.nextTokenIndex >= contextLength - 1;
    if (counts.generatedTokens >= request.maxTokens || (full && !request.shift)) {
      counts.generateDuration = Number(process.hrtime.bigint() - generating);
      return finish('length');
    }
    // A shift takes a while: what is ready goes out before.
    if (full) out.flush();
    loaded.pace?.step();
    const room = out.room();
    if (room) {
      await room;
      loaded.pace?.begin();
    }
    if (out.stopped) return;
  }
  throw new Error('generation ended without a reason');

  async function logprob(token: Token, top: number) {
    const raw = await internals.logprobs(token, top);
    const describe = (id: Token, value: number) => {
      const bytes = vocabulary.bytes(id);
      return { token: Buffer.from(bytes).toString('utf8'), bytes: [...bytes], logprob: value };
    };
    return {
      ...describe(token, raw.logprob),
      top: raw.top.map((candidate) => describe(candidate.token, candidate.logprob)),
    };
  }
}

/**
 * Keeps what the sequence shares with the prompt, evaluates most of the rest, and returns what is left for the step
 * that also samples: at least one token, as sampling needs the logits behind it.
 */
async function evaluatePrompt(
  { sequence, promptStep, pace }: LoadedModel,
  prompt: Token[],
  counts: EngineCounts,
  out: EventBatch,
): Promise<Token[]> {
  await sequence.adaptStateToTokens(prompt.slice(0, -1), false);
  counts.cachedTokens = sequence.nextTokenIndex;
  let at = sequence.nextTokenIndex;
  out.push({ type: 'progress', processed: at, total: prompt.length });
  out.flush();
  while (prompt.length - at > promptStep && !out.stopped) {
    await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(at, at + promptStep));
    at += promptStep;
    pace?.step();
    out.push({ type: 'progress', processed: at, total: prompt.length });
  }
  return prompt.slice(at);
}

async function grammarState(
  { llama, model }: LoadedModel,
  grammar: string | undefined,
): Promise<LlamaGrammarEvaluationState | undefined> {
  if (grammar === undefined) return undefined;
  try {
    return new LlamaGrammarEvaluationState({ model, grammar: await llama.createGrammar({ grammar }) });
  } catch (error) {
    throw new RequestError(`the grammar cannot be used: ${(error as Error).message}`);
  }
}

/** A full context loses the older half of what comes behind the first `keep` tokens, as in llama-server. */
function shift(keep: number, contextLength: number): SequenceEvaluateOptions['contextShift'] {
  return {
    strategy: ({ sequence }) => {
      const used = sequence.nextTokenIndex;
      const start = Math.min(keep, contextLength - 4, used - 2);
      return [{ start, end: start + Math.max(1, Math.floor((used - start) / 2)) }];
    },
  };
}
