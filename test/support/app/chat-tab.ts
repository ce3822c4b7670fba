/** Tabs of the app's chats in a test: stored conversations, shared locks, and a server that follows a script. */
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, vi } from 'vitest';
import type { ChatAnswerLine } from '#web/app/api-client.ts';
import type { ChatHost } from '#web/app/chat/chat-host.ts';
import { ChatStore } from '#web/app/chat/chat-store.ts';
import { Chats } from '#web/app/chat/chats.ts';

/** Locks that the tabs of a test share. `release` does what closing a tab does. */
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

/** The browser of the running test. */
export const browser = { locks: new Locks(), leave: new EventTarget() };
let databases = 0;

/** Gives each test of a file a browser of its own. Call it at the top of the file. */
export function useBrowser(): void {
  beforeEach(() => {
    browser.locks = new Locks();
    browser.leave = new EventTarget();
    databases++;
    const stored = new Map<string, string>();
    vi.stubGlobal('navigator', { locks: browser.locks });
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    });
    const { leave } = browser;
    vi.stubGlobal('addEventListener', leave.addEventListener.bind(leave));
    vi.stubGlobal('removeEventListener', leave.removeEventListener.bind(leave));
  });
  afterEach(() => vi.unstubAllGlobals());
}

export type Script = (
  request: Record<string, unknown>,
  signal: AbortSignal,
) => AsyncGenerator<ChatAnswerLine>;

export const chunk = (content: string): ChatAnswerLine => ({
  message: { role: 'assistant', content },
  done: false,
});

export const end: ChatAnswerLine = { done: true, done_reason: 'stop', eval_count: 4, eval_duration: 2e9 };

export async function* answer(text: string): AsyncGenerator<ChatAnswerLine> {
  for (const word of text.split(/(?<= )/)) yield chunk(word);
  yield end;
}

/** The beginning of an answer, which ends only by a stop. */
export async function* endless(_: unknown, signal: AbortSignal): AsyncGenerator<ChatAnswerLine> {
  signal.throwIfAborted();
  yield chunk('half');
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

/** The bodies of all requests for answers. */
export const requests: Record<string, unknown>[] = [];

/**
 * Opens a tab. All tabs of a test have the same conversations.
 * @param host other values of its host; `api` has further methods of the client
 */
export async function openTab(
  script: Script = () => answer('It is Paris.'),
  { api, ...host }: Partial<ChatHost> = {},
): Promise<Chats> {
  const opened = new Chats(new ChatStore(`chats ${databases}`), {
    api: {
      ...api,
      chat(request: Record<string, unknown>, signal: AbortSignal) {
        requests.push(request);
        return script(request, signal);
      },
    } as unknown as ChatHost['api'],
    model: 'm',
    modelsListed: Promise.resolve(),
    capabilities: () => [],
    isLoaded: () => true,
    embeddingModel: undefined,
    contextLength: () => undefined,
    deviceOf: async () => 'CPU',
    refresh: async () => {},
    changed: () => {},
    ...host,
  });
  await opened.start();
  return opened;
}
