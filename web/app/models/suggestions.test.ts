import { expect, it } from 'vitest';
import { downloadSize, openSuggestions } from './suggestions.ts';

const chat = { model: 'chat:1b', description: '', parameter_size: '1B' };
const embedding = { model: 'embed:22m', description: '', parameter_size: '22M', capabilities: ['embedding'] };
const image = { model: 'emoji-128:latest', description: '', capabilities: ['image'] };

it('leaves out models that are installed or downloading', () => {
  expect(openSuggestions([chat, embedding], new Set(['chat:1b']), false)).toEqual([embedding]);
});

it('offers only chat models to a chat', () => {
  expect(openSuggestions([chat, embedding, image], new Set(), true)).toEqual([chat]);
});

it('prefers the size that the server states', () => {
  expect(downloadSize({ ...chat, size: 7 })).toEqual({ bytes: 7, isEstimate: false });
});

it('takes the size of the model that the page brings', () => {
  expect(downloadSize(image, { model: 'emoji-128', bytes: 5 })).toEqual({ bytes: 5, isEstimate: false });
  expect(downloadSize(image, { model: 'other', bytes: 5 })).toBeUndefined();
});

it('estimates only the size of language models', () => {
  expect(downloadSize(chat)).toMatchObject({ isEstimate: true });
  expect(downloadSize(embedding)).toBeUndefined();
  expect(downloadSize({ ...chat, parameter_size: 'large' })).toBeUndefined();
});
