import { expect, it } from 'vitest';
import { type Conversation, newConversation } from '../conversation.ts';
import { chatGroups } from './chat-groups.ts';

const now = new Date(2026, 4, 20, 15).getTime();
const at = (title: string, time: Date, more: Partial<Conversation> = {}) => ({
  ...newConversation(time.getTime()),
  title,
  ...more,
});

it('groups conversations by the day of their last change, pinned ones first', () => {
  const list = [
    at('now', new Date(2026, 4, 20, 14)),
    at('morning', new Date(2026, 4, 20, 0, 1)),
    at('late', new Date(2026, 4, 19, 23, 59)),
    at('last week', new Date(2026, 4, 14)),
    at('last month', new Date(2026, 3, 25)),
    at('long ago', new Date(2025, 11, 24)),
    at('kept', new Date(2024, 0, 1), { pinned: true }),
  ];
  const groups = chatGroups(list, now).map(({ label, conversations }) => [
    label,
    conversations.map(({ title }) => title),
  ]);
  expect(groups).toEqual([
    ['Pinned', ['kept']],
    ['Today', ['now', 'morning']],
    ['Yesterday', ['late']],
    ['Previous 7 days', ['last week']],
    ['Previous 30 days', ['last month']],
    ['December 2025', ['long ago']],
  ]);
});

it('lists folders by name after the pinned conversations', () => {
  const today = new Date(2026, 4, 20, 14);
  const list = [
    at('b', today, { folder: 'Work 10' }),
    at('c', today),
    at('d', today, { folder: 'Work 2' }),
    at('e', today, { folder: 'Work 2', pinned: true }),
    at('f', today, { folder: 'Work 10' }),
  ];
  const groups = chatGroups(list, now).map(({ label, folder, conversations }) => [
    label,
    folder,
    conversations.map(({ title }) => title),
  ]);
  expect(groups).toEqual([
    ['Pinned', undefined, ['e']],
    ['Work 2', 'Work 2', ['d']],
    ['Work 10', 'Work 10', ['b', 'f']],
    ['Today', undefined, ['c']],
  ]);
});
