import { expect, it, vi } from 'vitest';
import { answer, endless, openTab, requests, useBrowser } from '#test/support/app/chat-tab.ts';
import type { Chats } from '../chats.ts';
import { comparedAnswers, type Turn } from '../conversation.ts';
import { chatsToJson, parseChats } from '../list/chat-file.ts';

useBrowser();

const pairOf = (chats: Chats) => comparedAnswers(chats.turns!, chats.shownTurns[1]!);
const texts = (turns: readonly Turn[] | undefined) => turns?.map(({ content }) => content);
const byModel = ({ model }: Record<string, unknown>) => answer(`I am ${model}.`);

/** A conversation of one message, which two models have answered. */
async function compared(): Promise<Chats> {
  const chats = await openTab(byModel);
  await chats.update({ compare: 'n' });
  await chats.send('Who are you?');
  return chats;
}

it('answers with two models, one after the other, and continues from the first', async () => {
  const seen: unknown[] = [];
  const changed = () => {
    const second = chats?.turns?.find(({ model }) => model === 'n');
    if (second && seen.at(-1) !== second.waiting) seen.push(second.waiting);
  };
  let chats: Chats | undefined;
  chats = await openTab(byModel, { changed });
  await chats.update({ compare: 'n' });
  await chats.send('Who are you?');
  expect(seen).toEqual(['queued', 'reading', undefined]);
  expect(texts(pairOf(chats))).toEqual(['I am m.', 'I am n.']);
  expect(texts(chats.shownTurns)).toEqual(['Who are you?', 'I am m.']);
  await chats.showBranch(pairOf(chats)![1]);
  expect(texts(pairOf(chats))).toEqual(['I am m.', 'I am n.']);
  await chats.send('Really?');
  expect(texts(chats.shownTurns.slice(0, 2))).toEqual(['Who are you?', 'I am n.']);
  expect((requests.at(-1)!.messages as { content: string }[])[1]!.content).toBe('I am n.');
});

it('stops both answers, and sends what waits only after the second', async () => {
  const chats = await openTab(endless);
  await chats.update({ compare: 'n' });
  const sending = chats.send('go');
  await vi.waitFor(() => expect(chats.runningTurn?.content).toBe('half'));
  await chats.send('later');
  chats.stop(chats.runningTurn!);
  await sending;
  expect(pairOf(chats)!.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
  await vi.waitFor(() => expect(chats.drafts.get(chats.conversation.id)).toBe('later'));
});

it('waits with the next message while the second model answers', async () => {
  let finish = () => {};
  const chats = await openTab(async function* (request) {
    if (request.model === 'n') await new Promise<void>((resolve) => (finish = resolve));
    yield* byModel(request);
  });
  await chats.update({ compare: 'n' });
  const sending = chats.send('one');
  await vi.waitFor(() => expect(chats.runningTurn).toMatchObject({ model: 'n', waiting: 'reading' }));
  await chats.send('two');
  await chats.update({ compare: undefined });
  expect(chats.queue.of(chats.conversation.id)).toHaveLength(1);
  finish();
  await sending;
  await vi.waitFor(() => expect(texts(chats.shownTurns)).toEqual(['one', 'I am m.', 'two', 'I am m.']));
});

it('shows an answer of another model next to the old one', async () => {
  const chats = await openTab(byModel);
  await chats.send('Who are you?');
  await chats.retryWith(chats.shownTurns[1]!, 'n');
  expect(texts(pairOf(chats))).toEqual(['I am m.', 'I am n.']);
  expect(chats.shownTurns[1]!.model).toBe('n');
  expect(chats.model).toBe('m');
  await chats.closeComparison(chats.shownTurns[1]!);
  expect(pairOf(chats)).toBeUndefined();
  expect(texts(chats.shownTurns)).toEqual(['Who are you?', 'I am n.']);
  expect(chats.turns).toHaveLength(3);
});

it('keeps the side and the model of an answer that is generated again', async () => {
  let count = 0;
  const chats = await openTab((request) => answer(`${request.model} ${++count}`));
  await chats.update({ compare: 'n' });
  await chats.send('go');
  await chats.retry(pairOf(chats)![0]);
  expect(texts(pairOf(chats))).toEqual(['m 3', 'n 2']);
  await chats.retry(pairOf(chats)![1]);
  expect(texts(pairOf(chats))).toEqual(['m 3', 'n 4']);
  await chats.closeComparison(pairOf(chats)![0]);
  expect(pairOf(chats)).toBeUndefined();
});

it('keeps the pair in an export', async () => {
  const chats = await compared();
  const { conversation, turns } = chats;
  const [read] = parseChats(chatsToJson([{ conversation, turns: [...turns!] }]), new Set());
  expect(read!.conversation.compare).toBe('n');
  const shown = read!.turns.find(({ id }) => id === read!.conversation.leaf)!;
  expect(texts(comparedAnswers(read!.turns, shown))).toEqual(['I am m.', 'I am n.']);
});

it('compares nothing with a model that is gone, or with itself', async () => {
  const chats = await openTab(byModel, { capabilities: (model) => (model === 'm' ? [] : undefined) });
  await chats.update({ compare: 'n' });
  expect(chats.comparedModel).toBeUndefined();
  await chats.update({ compare: 'm' });
  expect(chats.comparedModel).toBeUndefined();
  await chats.send('go');
  expect(chats.turns).toHaveLength(2);
});
