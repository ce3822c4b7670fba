/** The entries of the palette, and how they are found. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { VIEWS } from '../views.ts';
import { commandsOf, matchingCommands } from './commands.ts';

const presets = JSON.stringify([{ name: 'Translator', settings: { system: 'Translate.' } }]);
beforeEach(() => vi.stubGlobal('localStorage', { getItem: () => presets }));
afterEach(() => vi.unstubAllGlobals());

const chosen: string[] = [];
const updates: object[] = [];
const app = {
  chatModels: [{ name: 'smollm2:135m' }],
  chooseModel: (name: string) => void chosen.push(name),
  chats: {
    list: [
      { id: 'a', title: 'Capitals of Europe' },
      { id: 'b', title: '' },
    ],
    startNew: () => {},
    update: async (change: object) => void updates.push(change),
  },
} as unknown as Parameters<typeof commandsOf>[0];

const found = (query: string) => matchingCommands(commandsOf(app, VIEWS), query).map(({ label }) => label);

it('finds views, chats, models and actions', () => {
  expect(found('models')[0]).toBe('Models');
  expect(found('europe')).toEqual(['Capitals of Europe']);
  expect(found('untitled')).toEqual(['Untitled']);
  expect(found('dark')).toEqual(['Theme: dark']);
  expect(found('nothing like this')).toEqual([]);
});

it('lists everything for an empty text, the new chat first', () => {
  expect(found('')[0]).toBe('New chat');
  expect(found('')).toContain('Settings');
});

it('opens a chat by its address, and chats with a model', () => {
  vi.stubGlobal('location', { hash: '' });
  const run = (query: string) => matchingCommands(commandsOf(app, VIEWS), query)[0]!.run();
  run('europe');
  expect(location.hash).toBe('#/chat/a');
  run('translator');
  expect(updates).toEqual([{ settings: { system: 'Translate.' } }]);
  expect(location.hash).toBe('#/');
  run('chat with smollm2');
  expect(chosen).toEqual(['smollm2:135m']);
  expect(location.hash).toBe('#/');
});
