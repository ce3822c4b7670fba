import { expect, test } from 'vitest';
import type { GenerateRequest } from '#core/host';
import { type CompletionChunk, CompletionReader, completionBody } from './completion.ts';

const request: GenerateRequest = {
  prompt: 'x',
  sampling: {
    seed: 1,
    temperature: 0.5,
    topK: 40,
    topP: 0.9,
    minP: 0.05,
    typicalP: 1,
    repeatLastN: 64,
    repeatPenalty: 1.1,
    presencePenalty: 0.2,
    frequencyPenalty: 0.3,
  },
  maxTokens: 10,
  keep: 4,
  shift: true,
};

function token(text: string, id: number, count: number): CompletionChunk {
  return {
    choices: [{ text, finish_reason: null, logprobs: null }],
    __verbose: { tokens: [id], tokens_predicted: count },
  };
}

test('every option of the request reaches llama.cpp under its name', () => {
  expect(completionBody(request, 'x', 2048, ['<tool>'])).toMatchObject({
    prompt: 'x',
    n_predict: 10,
    n_keep: 4,
    seed: 1,
    temperature: 0.5,
    top_k: 40,
    top_p: 0.9,
    min_p: 0.05,
    typical_p: 1,
    repeat_last_n: 64,
    repeat_penalty: 1.1,
    presence_penalty: 0.2,
    frequency_penalty: 0.3,
    preserved_tokens: ['<tool>'],
  });
});

test('values that would crash the engine are brought into range', () => {
  const body = completionBody(
    {
      ...request,
      maxTokens: Number.POSITIVE_INFINITY,
      keep: -7,
      sampling: { ...request.sampling, seed: -1, temperature: -1, topK: -5, repeatLastN: -1 },
    },
    'lone \ud83d half \ude42, whole 🙂',
    2048,
    [],
  );
  expect(body).toMatchObject({
    prompt: 'lone \ufffd half \ufffd, whole 🙂',
    n_predict: -1,
    n_keep: -1,
    seed: 4294967295,
    temperature: 0,
    top_k: 0,
    repeat_last_n: 2048,
  });
});

test('probabilities are computed only on request', () => {
  expect(completionBody(request, 'x', 1, [])).not.toHaveProperty('n_probs');
  expect(completionBody({ ...request, topLogprobs: 0 }, 'x', 1, []).n_probs).toBe(1);
  expect(completionBody({ ...request, topLogprobs: 5 }, 'x', 1, []).n_probs).toBe(5);
});

test('chunks become events of progress, tokens and the end', () => {
  const reader = new CompletionReader(request, new Set([2]));
  expect(reader.read({ ...token('', 0, 0), prompt_progress: { total: 9, cache: 3, processed: 3 } })).toEqual([
    { type: 'progress', processed: 3, total: 9 },
  ]);
  expect(reader.read(token('Hi', 504, 1))).toEqual([{ type: 'token', text: 'Hi', id: 504 }]);
  // The end-of-sequence token is counted and not shown.
  expect(reader.read(token('', 2, 2))).toEqual([]);
  expect(
    reader.read({
      choices: [{ text: '', finish_reason: 'stop' }],
      timings: { cache_n: 3, prompt_n: 6, prompt_ms: 1.5, predicted_n: 2, predicted_ms: 2.25 },
    }),
  ).toEqual([
    {
      type: 'end',
      reason: 'stop',
      counts: {
        promptTokens: 9,
        cachedTokens: 3,
        generatedTokens: 2,
        promptDuration: 1_500_000,
        generateDuration: 2_250_000,
      },
    },
  ]);
  expect(reader.hasEnded).toBe(true);
});

test('each token of a character that spans several tokens becomes an event', () => {
  const reader = new CompletionReader(request, new Set());
  reader.read(token('a', 1, 1));
  expect(reader.read(token('🙃', 221, 4))).toEqual([
    { type: 'token', text: '' },
    { type: 'token', text: '' },
    { type: 'token', text: '🙃', id: 221 },
  ]);
  const end = reader.read({
    choices: [{ text: '', finish_reason: 'length' }],
    timings: { cache_n: 0, prompt_n: 1, prompt_ms: 1, predicted_n: 6, predicted_ms: 1 },
  });
  expect(end.filter(({ type }) => type === 'token')).toHaveLength(2);
  expect(end.at(-1)).toMatchObject({ type: 'end', reason: 'length' });
});

test('a token has as many alternatives as requested', () => {
  const probability = { id: 5, token: 'a', bytes: [97], logprob: -0.1 };
  const chunk: CompletionChunk = {
    choices: [
      {
        text: 'a',
        finish_reason: null,
        logprobs: { content: [{ ...probability, top_logprobs: [probability] }] },
      },
    ],
    __verbose: { tokens: [5], tokens_predicted: 1 },
  };
  const logprob = { token: 'a', bytes: [97], logprob: -0.1 };
  expect(new CompletionReader({ ...request, topLogprobs: 0 }, new Set()).read(chunk)).toEqual([
    { type: 'token', text: 'a', id: 5, logprob: { ...logprob, top: [] } },
  ]);
  expect(new CompletionReader({ ...request, topLogprobs: 1 }, new Set()).read(chunk)).toEqual([
    { type: 'token', text: 'a', id: 5, logprob: { ...logprob, top: [logprob] } },
  ]);
});

test('an answer that ends at the context has counts and durations of its own', () => {
  let now = 0;
  const reader = new CompletionReader(request, new Set(), () => now);
  reader.read({ prompt_progress: { total: 9, cache: 3, processed: 9 } });
  now = 10;
  reader.read(token('a', 1, 1));
  now = 15;
  expect(reader.endAtContext()).toEqual({
    type: 'end',
    reason: 'length',
    counts: {
      promptTokens: 9,
      cachedTokens: 3,
      generatedTokens: 1,
      promptDuration: 10_000_000,
      generateDuration: 5_000_000,
    },
  });
});
