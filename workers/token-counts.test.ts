import { expect, it } from 'vitest';
import { reportsTokens, TokenCountReader } from './token-counts.ts';

const encoder = new TextEncoder();

/** The counts in `text`, which arrives in chunks of `size` bytes. */
function read(text: string, size: number) {
  const reader = new TokenCountReader();
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
  return reader.counts;
}

const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

it.each([
  [
    "a response of Ollama's API",
    '{"done":true,"prompt_eval_count":31,"eval_count":8}',
    { prompt: 31, answer: 8 },
  ],
  [
    "a stream of Ollama's API",
    '{"message":{"content":"ü"},"done":false}\n{"done":true,"prompt_eval_count":31,"eval_count":1208}\n',
    { prompt: 31, answer: 1208 },
  ],
  ['a prompt from the cache', '{"done":true,"eval_count":8}', { answer: 8 }],
  [
    "a stream of OpenAI's API with usage",
    sse(
      { choices: [{ delta: { content: 'a' } }], usage: null },
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 } },
    ),
    { prompt: 5, answer: 7 },
  ],
  ["a stream of OpenAI's API without usage", sse({ choices: [{ delta: { content: 'a' } }] }), undefined],
  [
    "a stream of Anthropic's API",
    sse(
      { type: 'message_start', message: { usage: { input_tokens: 12, output_tokens: 1 } } },
      { type: 'message_delta', usage: { output_tokens: 40 } },
    ),
    { prompt: 12, answer: 40 },
  ],
  [
    "a response of OpenAI's Responses API",
    JSON.stringify({
      usage: {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 4,
        output_tokens_details: {},
      },
    }),
    { prompt: 3, answer: 4 },
  ],
  ['embeddings', '{"embeddings":[[0.1]],"prompt_eval_count":9}', { prompt: 9 }],
  [
    'content that looks like a count',
    JSON.stringify({ message: { content: '"eval_count": 99, "prompt_tokens": 1' } }),
    undefined,
  ],
])('reads %s in chunks of any size', (_name, text, counts) => {
  for (const size of [1, 7, 100_000]) expect(read(text, size)).toEqual(counts);
});

it.each([
  ['/api/chat', true],
  ['/v1/messages', true],
  ['/v1/chat/completions', true],
  ['/api/tags', false],
  ['/view', false],
  ['/webhook/api/chat', false],
])('whether responses of %s report tokens: %s', (path, expected) =>
  expect(reportsTokens(path)).toBe(expected),
);
