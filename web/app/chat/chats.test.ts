import 'fake-indexeddb/auto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ChatLine } from '../api-client.ts';
import { chatsToJson, parseChats } from './chat-file.ts';
import { ChatStore } from './chat-store.ts';
import { type ChatHost, Chats } from './chats.ts';
import type { Turn } from './conversation.ts';

/** Locks of one process, as tabs of one browser share them; `leave` is what closing a tab does. */
class Locks {
  readonly #queues = new Map<string, Promise<unknown>>();
  request<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(name) ?? Promise.resolve();
    const mine = before.then(work);
    this.#queues.set(
      name,
      mine.catch(() => {}),
    );
    return mine;
  }
  release(name: string): void {
    this.#queues.delete(name);
  }
}

let locks: Locks;
/** The page, for its `pagehide`. */
let leave: EventTarget;
let database = 0;
let name: string;
beforeEach(() => {
  locks = new Locks();
  name = `chats ${database++}`;
  const stored = new Map<string, string>();
  vi.stubGlobal('navigator', { locks });
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
  leave = new EventTarget();
  vi.stubGlobal('addEventListener', leave.addEventListener.bind(leave));
  vi.stubGlobal('removeEventListener', leave.removeEventListener.bind(leave));
});
afterEach(() => vi.unstubAllGlobals());

type Script = (request: Record<string, unknown>, signal: AbortSignal) => AsyncGenerator<ChatLine>;

const said = (content: string): ChatLine => ({ message: { role: 'assistant', content }, done: false });
const end: ChatLine = { done: true, done_reason: 'stop', eval_count: 4, eval_duration: 2e9 };

async function* answer(text: string): AsyncGenerator<ChatLine> {
  for (const word of text.split(/(?<= )/)) yield said(word);
  yield end;
}

const requests: Record<string, unknown>[] = [];

async function tab(script: Script = () => answer('It is Paris.')) {
  const host: ChatHost = {
    api: {
      chat(request: Record<string, unknown>, signal: AbortSignal) {
        requests.push(request);
        return script(request, signal);
      },
    } as unknown as ChatHost['api'],
    model: 'm',
    capabilities: () => [],
    isLoaded: () => true,
    deviceOf: async () => 'CPU',
    refresh: async () => {},
    changed: () => {},
  };
  const chats = new Chats(new ChatStore(name), host);
  await chats.start();
  return chats;
}

const texts = (turns: readonly Turn[]) => turns.map(({ content }) => content);

it('keeps what was said, named by its first words, and gives it to the next visit', async () => {
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

it('sends the branch that is shown, and keeps every version of it', async () => {
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

it('a stopped answer keeps what had arrived', async () => {
  const chats = await tab(async function* (_, signal) {
    yield said('half');
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  const sending = chats.send('go');
  await vi.waitFor(() => expect(chats.runningTurn?.content).toBe('half'));
  chats.stop(chats.runningTurn!);
  await sending;
  expect(chats.shownTurns[1]).toMatchObject({ state: 'stopped', content: 'half' });
});

it('a server that is lost in mid-answer is told, and the part stays', async () => {
  const chats = await tab(async function* () {
    yield said('half');
    throw new Error('the tab that answered was closed');
  });
  await chats.send('go');
  expect(chats.shownTurns[1]).toMatchObject({
    state: 'failed',
    content: 'half',
    error: 'the tab that answered was closed',
  });
});

it('a page that is left ends its own stream: the part is kept as cut off, not as failed', async () => {
  let fail = (_: Error) => {};
  const chats = await tab(async function* () {
    yield said('half');
    await new Promise((_, reject) => {
      fail = reject;
    });
  });
  const sending = chats.send('go');
  await vi.waitFor(() => expect(chats.runningTurn?.content).toBe('half'));
  // The stream ends first, as listeners are called in the order in which they came.
  fail(new Error('the page was left'));
  for (let turn = 0; turn < 50; turn++) await null;
  leave.dispatchEvent(new Event('pagehide'));
  await sending;
  expect(chats.shownTurns[1]).toMatchObject({ state: 'cut', content: 'half' });
  expect(await chats.store.turn(chats.shownTurns[1]!.id)).toMatchObject({ state: 'cut', content: 'half' });
});

it('another tab sees an answer grow; when the answering tab is closed, it says so', async () => {
  let goOn = () => {};
  const first = await tab(async function* () {
    yield said('half');
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    yield said(' more');
    await new Promise(() => {});
  });
  void first.send('go');
  await vi.waitFor(() => expect(first.runningTurn?.content).toBe('half'));
  const second = await tab();
  expect(await second.open(first.conversation.id)).toBe(true);
  expect(second.runningTurn?.state).toBe('running');
  expect(second.isOwn(second.runningTurn!)).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 450));
  goOn();
  await vi.waitFor(() => expect(second.runningTurn?.content).toBe('half more'));

  // A third tab comes after the first one was closed: nobody holds its lock any more.
  locks.release(`tabd-app:answer:${second.runningTurn!.id}`);
  const third = await tab();
  await third.open(first.conversation.id);
  await vi.waitFor(() => expect(third.shownTurns[1]).toMatchObject({ state: 'cut', content: 'half more' }));
  await vi.waitFor(() => expect(second.shownTurns[1]).toMatchObject({ state: 'cut' }));
});

it('changes in one tab are seen in the other', async () => {
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

it('finds chats by words of their titles and turns', async () => {
  const chats = await tab();
  await chats.send('capitals');
  const { id } = chats.conversation;
  chats.startNew();
  await chats.send('something else');
  expect(await chats.store.search('PARIS capital')).toEqual(new Set([id]));
  expect(await chats.store.search('nowhere')).toEqual(new Set());
});

it('the result of a tool goes to the model once every call has one', async () => {
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

it('a chat goes into a file and comes back as another one', async () => {
  const chats = await tab();
  await chats.send('hello');
  const { conversation, turns } = chats;
  const file = chatsToJson([{ conversation, turns: [...turns!] }]);
  await chats.importChats(parseChats(file, new Set([conversation.id])));
  expect(chats.list).toHaveLength(2);
  const other = chats.list!.find(({ id }) => id !== conversation.id)!;
  await chats.open(other.id);
  expect(texts(chats.shownTurns)).toEqual(['hello', 'It is Paris.']);
  // Where it is not known it keeps its id.
  expect(parseChats(file, new Set())[0]!.conversation.id).toBe(conversation.id);
});

it.each([
  '{',
  '7',
  '{"kind":"tabd-chats","version":2}',
  '{"kind":"tabd-chats","version":1,"conversations":[{}]}',
])('a file with %s is refused in words', (text) =>
  expect(() => parseChats(text, new Set())).toThrow('no tabd chats'),
);

it('what cannot be kept is said, and the chat goes on', async () => {
  const chats = await tab();
  vi.spyOn(chats.store, 'put').mockRejectedValue(new Error('the disk is full'));
  vi.spyOn(chats.store, 'putTurn').mockRejectedValue(new Error('the disk is full'));
  await chats.send('hello');
  expect(chats.failure).toBe('the disk is full');
  expect(texts(chats.shownTurns)).toEqual(['hello', 'It is Paris.']);
});
