import { expect, it } from 'vitest';
import { openTab, requests, useBrowser } from '#test/support/app/chat-tab.ts';
import { ApiClientError } from '../../api-client.ts';
import type { ChatHost } from '../chat-host.ts';
import { chatsToJson } from '../list/chat-file.ts';

useBrowser();

const documents = [{ name: 'facts.txt', text: 'Cats purr. '.repeat(60) + 'Boats float. '.repeat(60) }];

/** A host whose model for embeddings knows cats and boats. */
const host = (embed: (texts: string[]) => Promise<number[][]>): Partial<ChatHost> => ({
  embeddingModel: 'e',
  api: { embed: (_: string, texts: string[]) => embed(texts) } as unknown as ChatHost['api'],
});
const topics = async (texts: string[]) =>
  texts.map((text) => [/cats/i.test(text) ? 1 : 0.1, /boats/i.test(text) ? 1 : 0.1]);

it('sends and stores the passages that fit the question', async () => {
  const chats = await openTab(undefined, host(topics));
  await chats.update({ settings: { documents: 'passages' } });
  await chats.send('What do boats do?', { documents });
  const { sources } = chats.shownTurns[1]!;
  expect(sources![0]).toMatchObject({ document: 'facts.txt', text: expect.stringContaining('Boats') });
  const [message] = requests.at(-1)!.messages as { content: string }[];
  expect(message!.content).toContain('[1] From "facts.txt":');
  expect(await chats.store.turn(chats.shownTurns[1]!.id)).toMatchObject({ sources });
  const { conversation, turns } = chats;
  expect(turns![0]!.documents![0]!.index?.model).toBe('e');
  expect(chatsToJson([{ conversation, turns: [...turns!] }])).not.toContain('vectors');
});

it('reports a failed search as the failure of the answer', async () => {
  const broken = async () => {
    throw new ApiClientError('out of memory', { status: 500 });
  };
  const chats = await openTab(undefined, host(broken));
  await chats.update({ settings: { documents: 'passages' } });
  await chats.send('Boats?', { documents });
  expect(chats.shownTurns[1]).toMatchObject({ state: 'failed', error: 'out of memory' });
});
