import { expect, test } from 'vitest';
import { toRequestError } from './request-error.ts';

test('a prompt that is too long keeps its numbers', () => {
  const taskError = { type: 'exceed_context_size_error', n_prompt_tokens: 310, n_ctx: 256 };
  expect(toRequestError('too long', ['grammar'], taskError)).toEqual({
    kind: 'context',
    message: 'too long',
    promptTokens: 310,
    contextLength: 256,
  });
});

test.each(['Failed to load image', 'failed to load media file', 'cannot decode image', 'no bitmap'])(
  'an image that llama.cpp cannot read is refused: %s',
  (message) => {
    const expected = { kind: 'refused', message: `an image cannot be read: ${message}` };
    expect(toRequestError(message, [], {})).toEqual(expected);
  },
);

test('log probabilities of a part of a character: the message says how to avoid the error', () => {
  const error = toRequestError('failed', ['json: invalid UTF-8 byte at index 0'], {});
  expect(error).toMatchObject({ kind: 'request', message: expect.stringContaining('without logprobs') });
});

test('a line about the grammar or a field is more precise than the error itself', () => {
  const lines = ['other', 'parse: error parsing grammar: expecting name', "Field 'x' is wrong"];
  expect(toRequestError('failed', lines, {})).toEqual({ kind: 'request', message: lines[1] });
  expect(toRequestError('failed', lines.slice(2), {})).toEqual({ kind: 'request', message: lines[2] });
  expect(toRequestError('failed', ['other'], {})).toEqual({ kind: 'request', message: 'failed' });
});
