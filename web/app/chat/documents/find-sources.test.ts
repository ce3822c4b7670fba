import { expect, it, vi } from 'vitest';
import type { ChatHost } from '../chat-host.ts';
import { type ChatSettings, chatRequestBody, newTurn, type Turn } from '../conversation.ts';
import { findSources } from './find-sources.ts';

const TOPICS = ['cats', 'boats', 'bread'];
const place = { conversation: 'c', parent: undefined, at: 1 };

/** A model whose vectors count the words of three topics. */
const embed = async (_model: string, texts: readonly string[], signal: AbortSignal) => {
  signal.throwIfAborted();
  return texts.map((text) => TOPICS.map((topic) => text.split(topic).length - 1 + 0.01));
};

function search(
  settings: ChatSettings = {},
  { embeddingModel }: Pick<ChatHost, 'embeddingModel'> = { embeddingModel: 'e' },
) {
  const calls = vi.fn(embed);
  const saved: Turn[] = [];
  const shares: number[] = [];
  const abort = new AbortController();
  const host = { api: { embed: calls }, embeddingModel, contextLength: () => undefined };
  const find = (path: Turn[]) =>
    findSources(path, {
      model: 'm',
      settings,
      host: host as unknown as ChatHost,
      signal: abort.signal,
      searching: (share) => shares.push(share),
      save: async (turn) => void saved.push(turn),
    });
  return { find, calls, saved, abort, shares };
}

/** A document of about 7,500 tokens. */
const long = TOPICS.map((topic) => `${`A fact about ${topic} and their kind. `.repeat(280)}\n\n`).join('');
const question = (content: string, text = long) =>
  newTurn('user', content, place, { documents: [{ name: 'facts.txt', text }] });

it('finds the passages that fit the question', async () => {
  const turn = question('What about boats?');
  const { find, shares } = search();
  const sources = (await find([turn]))!;
  expect(sources.length).toBeGreaterThan(2);
  expect([shares[0], shares.at(-1)]).toEqual([0, 1]);
  for (const { text, document } of sources) {
    expect(text).toContain('boats');
    expect(document).toBe('facts.txt');
  }
  const { messages } = chatRequestBody('m', {}, [turn], [], sources) as { messages: { content: string }[] };
  expect(messages[0]!.content).toContain('[1] From "facts.txt":\nA fact about boats');
  expect(messages[0]!.content).not.toContain('cats');
  expect(messages[0]!.content).toMatch(/What about boats\?$/);
});

it('searches with the question before, because the last one may only make sense there', async () => {
  const path = [question('What about boats?'), newTurn('user', 'And why?', place)];
  const sources = await search().find(path);
  expect(sources![0]!.text).toContain('boats');
});

it('stores the vectors and does not compute them again', async () => {
  const turn = question('What about bread?');
  const first = search();
  await first.find([turn]);
  const again = search();
  await again.find(first.saved);
  expect(again.calls).toHaveBeenCalledTimes(1);
  expect(again.saved).toEqual([]);
  const otherModel = search({}, { embeddingModel: 'other' });
  await otherModel.find(first.saved);
  expect(otherModel.calls.mock.calls.length).toBeGreaterThan(2);
});

it.each<[string, ChatSettings, string | undefined, string]>([
  ['are short', {}, 'e', 'A short text about cats.'],
  ['are wanted whole', { documents: 'whole' }, 'e', long],
  ['cannot be embedded', {}, undefined, long],
])('leaves documents whole that %s', async (_, settings, model, text) => {
  const { find, calls } = search(settings, { embeddingModel: model });
  expect(await find([question('cats?', text)])).toBeUndefined();
  expect(calls).not.toHaveBeenCalled();
});

it('takes passages of a short document if the user wants that, and at least one', async () => {
  const sources = await search({ documents: 'passages', num_ctx: 16 }).find([
    question('cats?', 'A text on cats.'),
  ]);
  expect(sources).toMatchObject([{ text: 'A text on cats.' }]);
});

it('stops when the answer is cancelled', async () => {
  const { find, abort, saved } = search();
  const finding = find([question('cats?')]);
  abort.abort();
  await expect(finding).rejects.toThrow(/abort/i);
  expect(saved).toEqual([]);
});
