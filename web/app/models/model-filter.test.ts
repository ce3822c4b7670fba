import { expect, it } from 'vitest';
import { grouped, groupOf, NO_FILTER, passesFilter } from './model-filter.ts';

const chat = {
  name: 'qwen3:1.7b',
  description: 'Reasons',
  capabilities: ['completion', 'thinking', 'tools'],
};
const unknown = { name: 'mine' };
const embedding = { name: 'all-minilm:22m', description: 'Text embeddings', capabilities: ['embedding'] };
const image = { name: 'sd-turbo', capabilities: ['image'] };
const audio = { name: 'whisper:base', capabilities: ['audio'] };
const speech = { name: 'kokoro:82m', capabilities: ['speech'] };
const all = [embedding, chat, image, unknown, speech, audio];

it('shows the models of a task', () => {
  const shown = (task: 'chat' | 'thinking' | 'image' | 'vision' | 'audio' | 'speech') =>
    all.filter((model) => passesFilter(model, { text: '', task })).map(({ name }) => name);
  expect(shown('chat')).toEqual(['qwen3:1.7b', 'mine']);
  expect(shown('thinking')).toEqual(['qwen3:1.7b']);
  expect(shown('image')).toEqual(['sd-turbo']);
  expect(shown('audio')).toEqual(['whisper:base']);
  expect(shown('speech')).toEqual(['kokoro:82m']);
  expect(shown('vision')).toEqual([]);
  expect(all.every((model) => passesFilter(model, NO_FILTER))).toBe(true);
});

it('finds every word in the name or the description', () => {
  const find = (text: string) => all.filter((model) => passesFilter(model, { text, task: undefined }));
  expect(find('MiniLM text')).toEqual([embedding]);
  expect(find('minilm nothing')).toEqual([]);
  expect(find(' ')).toEqual(all);
});

it('groups by the first task', () => {
  expect(grouped(all, groupOf)).toEqual([
    ['chat', [chat, unknown]],
    ['image', [image]],
    ['audio', [audio]],
    ['speech', [speech]],
    ['embedding', [embedding]],
  ]);
});
