import { expect, it, vi } from 'vitest';
import {
  answer,
  browser,
  chunk,
  end,
  endless,
  requests,
  openTab as tab,
  useBrowser,
} from '#test/support/app/chat-tab.ts';
import { ApiClientError, type ChatAnswerLine } from '../api-client.ts';
import type { Chats } from './chats.ts';
import type { Turn } from './conversation.ts';
import { chatsToJson, parseChats } from './list/chat-file.ts';

useBrowser();

const queued = (chats: Chats) => chats.queue.of(chats.conversation.id);
const texts = (turns: readonly Turn[]) => turns.map(({ content }) => content);

it('stores a conversation under its first words for the next visit', async () => {
  const chats = await tab();
  await chats.send('What is the capital of France?');
  expect(texts(chats.shownTurns)).toEqual(['What is the capital of France?', 'It is Paris.']);
  expect(chats.shownTurns[1]).toMatchObject({
    state: 'done',
    model: 'm',
    stats: { tokens: 4, nanoseconds: 2e9, device: 'CPU' },
  });
  const again = await tab();
  expect(again.conversation.title).toBe('What is the capital of France?');
  expect(texts(again.shownTurns)).toEqual(texts(chats.shownTurns));
});

it('sends the shown branch and keeps every version', async () => {
  let count = 0;
  const chats = await tab(() => answer(`answer ${++count}`));
  await chats.send('one');
  await chats.retry(chats.shownTurns[1]!);
  await chats.edit(chats.shownTurns[0]!, 'two');
  expect(texts(chats.shownTurns)).toEqual(['two', 'answer 3']);
  expect(requests.at(-1)!.messages).toEqual([{ role: 'user', content: 'two' }]);
  await chats.showBranch(chats.turns!.find(({ content }) => content === 'answer 1')!);
  expect(texts(chats.shownTurns)).toEqual(['one', 'answer 1']);
  await chats.send('on');
  expect((requests.at(-1)!.messages as unknown[]).length).toBe(3);
  const original = chats.conversation;
  await chats.fork(chats.shownTurns[1]!);
  expect(chats.conversation.id).not.toBe(original.id);
  expect(texts(chats.turns!)).toEqual(['one', 'answer 1']);
});

it('keeps the text of a stopped answer', async () => {
  const chats = await tab(endless);
  const sending = chats.send('go');
  await vi.waitFor(() => expect(chats.runningTurn?.content).toBe('half'));
  chats.stop(chats.runningTurn!);
  await sending;
  expect(chats.shownTurns[1]).toMatchObject({ state: 'stopped', content: 'half' });
});

it('reports a failure within an answer and keeps its text', async () => {
  const chats = await tab(async function* () {
    yield chunk('half');
    throw new ApiClientError('out of memory');
  });
  await chats.send('go');
  expect(chats.shownTurns[1]).toMatchObject({
    state: 'failed',
    content: 'half',
    error: 'out of memory',
  });
});

it('marks the answer of a closed page as cut off, not as failed', async () => {
  let fail = (_: Error) => {};
  const chats = await tab(async function* () {
    yield chunk('half');
    await new Promise((_, reject) => {
      fail = reject;
    });
  });
  const sending = chats.send('go');
  await vi.waitFor(() => expect(chats.runningTurn?.content).toBe('half'));
  // The stream fails before `pagehide`, as in browsers whose network stack is notified first.
  fail(new Error('the page was left'));
  for (let turn = 0; turn < 50; turn++) await null;
  browser.leave.dispatchEvent(new Event('pagehide'));
  await sending;
  expect(chats.shownTurns[1]).toMatchObject({ state: 'cut', content: 'half' });
  expect(await chats.store.turn(chats.shownTurns[1]!.id)).toMatchObject({ state: 'cut', content: 'half' });
});

/** A tab whose answer stops after `half` until the test closes it. */
async function tabThatCloses() {
  const closing = await tab(async function* () {
    yield chunk('half');
    await new Promise(() => {});
  });
  void closing.send('go');
  await vi.waitFor(() => expect(closing.runningTurn?.content).toBe('half'));
  const { id } = closing.runningTurn!;
  return {
    chats: closing,
    conversation: closing.conversation.id,
    close: () => {
      browser.leave.dispatchEvent(new Event('pagehide'));
      browser.locks.release(`tabd-app:answer:${id}`);
    },
  };
}

/** A server whose template continues the last message: it sends that text first. */
async function* continuing({ messages }: Record<string, unknown>): AsyncGenerator<ChatAnswerLine> {
  const last = (messages as { role: string; content: string }[]).at(-1)!;
  if (last.role === 'assistant') yield chunk(last.content);
  yield chunk(' of it');
  yield end;
}

it('shows an answer of another tab, and continues it when that tab closes', async () => {
  const first = await tabThatCloses();
  const second = await tab(continuing);
  expect(await second.open(first.conversation)).toBe(true);
  expect(second.runningTurn?.state).toBe('running');
  expect(second.isOwn(second.runningTurn!)).toBe(false);
  first.close();
  // The queue of the stubbed lock is gone, so a third tab is next.
  const third = await tab(continuing);
  await third.open(first.conversation);
  await vi.waitFor(() => expect(third.shownTurns[1]).toMatchObject({ state: 'done', content: 'half of it' }));
  await vi.waitFor(() =>
    expect(second.shownTurns[1]).toMatchObject({ state: 'done', content: 'half of it' }),
  );
  expect(third.turns).toHaveLength(2);
});

it('continues the answer of a page that was closed when the page comes back, in any conversation', async () => {
  const first = await tabThatCloses();
  first.close();
  await vi.waitFor(async () =>
    expect(await first.chats.store.turn(first.chats.shownTurns[1]!.id)).toMatchObject({ state: 'cut' }),
  );
  sessionStorage.removeItem('tabd.conversation');
  const again = await tab(continuing);
  const ended = () => again.store.turn(first.chats.shownTurns[1]!.id);
  await vi.waitFor(async () => expect(await ended()).toMatchObject({ state: 'done', content: 'half of it' }));
  expect(requests.at(-1)!.messages).toEqual([
    { role: 'user', content: 'go' },
    { role: 'assistant', content: 'half' },
  ]);
});

it('starts an answer again whose text the template does not continue', async () => {
  const first = await tabThatCloses();
  first.close();
  const again = await tab(() => answer('A new one.'));
  await again.open(first.conversation);
  await vi.waitFor(() => expect(again.shownTurns[1]).toMatchObject({ state: 'done', content: 'A new one.' }));
  expect((requests.at(-1)!.messages as unknown[]).length).toBe(1);
});

it('continues an answer whose server ended', async () => {
  let count = 0;
  const chats = await tab(async function* (request) {
    if (count++ > 0) return yield* continuing(request);
    yield chunk('half');
    throw new TypeError('network error');
  });
  await chats.send('go');
  expect(chats.shownTurns[1]).toMatchObject({ state: 'done', content: 'half of it' });
  expect(chats.shownTurns[1]).not.toHaveProperty('error');
});

it('continues three times without a new word, then reports the error', async () => {
  let count = 0;
  const chats = await tab(async function* () {
    count++;
    yield chunk('half');
    throw new TypeError('network error');
  });
  await chats.send('go');
  expect(count).toBe(4);
  expect(chats.shownTurns[1]).toMatchObject({ state: 'failed', content: 'half', error: 'network error' });
  const again = await tab();
  await again.open(chats.conversation.id);
  expect(again.shownTurns[1]).toMatchObject({ state: 'failed' });
});

it('shows changes of another tab', async () => {
  const first = await tab();
  const second = await tab();
  await first.send('hello');
  const { id } = first.conversation;
  await vi.waitFor(() => expect(second.list?.map(({ title }) => title)).toEqual(['hello']));
  await second.rename(id, 'Greeting');
  await vi.waitFor(() => expect(first.conversation.title).toBe('Greeting'));
  await second.delete(id);
  await vi.waitFor(() => expect(first.isNew).toBe(true));
  expect(await first.store.turns(id)).toEqual([]);
});

it('finds conversations by words of their titles and turns', async () => {
  const chats = await tab();
  await chats.send('capitals');
  const { id } = chats.conversation;
  chats.startNew();
  await chats.send('something else');
  expect(await chats.store.search('PARIS capital')).toEqual(new Set([id]));
  expect(await chats.store.search('nowhere')).toEqual(new Set());
});

it('continues with the model once every tool call has a result', async () => {
  const call = (id: string) => ({ id, function: { name: 'weather', arguments: { city: id } } });
  let requestCount = 0;
  const chats = await tab(async function* () {
    if (requestCount++ === 0) {
      yield { message: { role: 'assistant', content: '', tool_calls: [call('a'), call('b')] }, done: false };
      yield end;
    } else yield* answer('Sunny.');
  });
  await chats.send('weather?');
  const called = chats.shownTurns[1]!;
  await chats.sendToolResult(called, called.toolCalls![0]!, 'rain');
  expect(requestCount).toBe(1);
  await chats.sendToolResult(called, called.toolCalls![1]!, 'sun');
  expect(texts(chats.shownTurns)).toEqual(['weather?', '', 'rain', 'sun', 'Sunny.']);
  expect((requests.at(-1)!.messages as { tool_call_id?: string }[]).map((m) => m.tool_call_id)).toEqual([
    undefined,
    undefined,
    'a',
    'b',
  ]);
});

it('imports an exported conversation as a new one', async () => {
  const chats = await tab();
  await chats.send('hello');
  const { conversation, turns } = chats;
  const file = chatsToJson([{ conversation, turns: [...turns!] }]);
  await chats.importChats(parseChats(file, new Set([conversation.id])));
  expect(chats.list).toHaveLength(2);
  const other = chats.list!.find(({ id }) => id !== conversation.id)!;
  await chats.open(other.id);
  expect(texts(chats.shownTurns)).toEqual(['hello', 'It is Paris.']);
  // An unknown id stays.
  expect(parseChats(file, new Set())[0]!.conversation.id).toBe(conversation.id);
});

it('reports a failed write and continues the chat', async () => {
  const chats = await tab();
  vi.spyOn(chats.store, 'put').mockRejectedValue(new Error('the disk is full'));
  vi.spyOn(chats.store, 'putTurn').mockRejectedValue(new Error('the disk is full'));
  await chats.send('hello');
  expect(chats.failure).toBe('the disk is full');
  expect(texts(chats.shownTurns)).toEqual(['hello', 'It is Paris.']);
});

it('sends a queued message when the running answer is finished', async () => {
  let finish = () => {};
  let count = 0;
  const chats = await tab(async function* () {
    if (count++ === 0)
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    yield* answer(`answer ${count}`);
  });
  const sending = chats.send('one');
  await vi.waitFor(() => expect(chats.runningTurn).toBeDefined());
  await chats.send('two');
  await chats.send('three');
  chats.queue.remove(chats.conversation.id, queued(chats)[1]!);
  expect(queued(chats).map(({ content }) => content)).toEqual(['two']);
  await vi.waitFor(() => expect(count).toBe(1));
  finish();
  await sending;
  await vi.waitFor(() => expect(texts(chats.shownTurns)).toEqual(['one', 'answer 1', 'two', 'answer 2']));
  expect(queued(chats)).toEqual([]);
});

it('returns queued messages to the draft after a stop', async () => {
  const chats = await tab(endless);
  const sending = chats.send('one');
  await vi.waitFor(() => expect(chats.runningTurn?.content).toBe('half'));
  await chats.send('two');
  chats.stop(chats.runningTurn!);
  await sending;
  await vi.waitFor(() => expect(queued(chats)).toEqual([]));
  expect(chats.drafts.get(chats.conversation.id)).toBe('two');
});

it('continues a stopped answer in place when the user asks for it', async () => {
  let count = 0;
  const chats = await tab(async function* (request, signal) {
    if (count++ > 0) return yield* continuing(request);
    yield chunk('half');
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  await chats.update({ settings: { num_predict: 4 } });
  const sending = chats.send('go');
  await vi.waitFor(() => expect(chats.runningTurn?.content).toBe('half'));
  chats.stop(chats.runningTurn!);
  await sending;
  await chats.continue(chats.shownTurns[1]!);
  expect(requests.at(-1)!.options).toBeUndefined();
  expect(texts(chats.shownTurns)).toEqual(['go', 'half of it']);
});

it('keeps the answer of the model when the user edits it', async () => {
  const chats = await tab();
  await chats.send('go');
  await chats.editAnswer(chats.shownTurns[1]!, 'It is Lyon.');
  expect(texts(chats.shownTurns)).toEqual(['go', 'It is Lyon.']);
  expect(texts(chats.turns!)).toEqual(['go', 'It is Paris.', 'It is Lyon.']);
});

it('sends the texts of documents before the message', async () => {
  const chats = await tab();
  await chats.send('Summarize.', { documents: [{ name: 'sea.txt', text: 'The sea is blue.' }] });
  expect((requests.at(-1)!.messages as { content: string }[])[0]!.content).toBe(
    'Document "sea.txt":\n\nThe sea is blue.\n\n---\n\nSummarize.',
  );
  expect(chats.shownTurns[0]!.content).toBe('Summarize.');
});

it('pins a conversation, also for other tabs', async () => {
  const chats = await tab();
  await chats.send('hello');
  await chats.pin(chats.conversation.id, true);
  expect((await tab()).list?.[0]?.pinned).toBe(true);
});
