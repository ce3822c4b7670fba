import { expect, it } from 'vitest';
import { pullFailure } from './pull-failure.ts';

const offline =
  'pull model manifest: Get "https://huggingface.co/api/models/x/y": Failed to fetch; where the hub cannot be reached, HF_ENDPOINT can name a mirror';

it.each([
  [offline, 'could not be reached'],
  ['pull model manifest: file does not exist', 'No model has this name'],
  ['Get "https://hub/x": 401 Unauthorized', 'account'],
  ['QuotaExceededError: quota exceeded', 'full'],
  ['digest mismatch, file must be downloaded again', 'damaged'],
])('explains %s', (message, text) => {
  const failure = pullFailure(message);
  expect(failure.text).toContain(text);
  expect(failure.details).toBe(message);
});

it('shows any other message as it is', () => {
  expect(pullFailure('invalid model name')).toEqual({ text: 'invalid model name' });
});
