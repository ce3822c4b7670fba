import { expect, it } from 'vitest';
import { newConversation, newTurn } from '../conversation.ts';
import { chatToMarkdown, parseChats } from './chat-file.ts';

it.each(['{', '7', '{"kind":"tabd-chats","version":2}', '{"kind":"tabd-chats","version":1}'])(
  'rejects the file %s with a message',
  (text) => expect(() => parseChats(text, new Set())).toThrow('This isn’t a tabd chat export.'),
);

it('names the damaged place of a chat export', () =>
  expect(() => parseChats('{"kind":"tabd-chats","version":1,"conversations":[{}]}', new Set())).toThrow(
    'This chat export is damaged at conversations.0.id.',
  ));

it('exports the shown branch of a conversation as Markdown', () => {
  const conversation = { ...newConversation(), title: 'Capitals' };
  const place = { conversation: conversation.id, parent: undefined, at: 1 };
  const question = newTurn('user', 'France?', place, { documents: [{ name: 'a.txt', text: 'x' }] });
  const answer = { ...newTurn('assistant', 'Paris.', { ...place, parent: question.id }), model: 'm' };
  const other = newTurn('assistant', 'Lyon.', { ...place, parent: question.id });
  const turns = [question, answer, other];
  expect(chatToMarkdown({ conversation: { ...conversation, leaf: answer.id }, turns })).toBe(
    '# Capitals\n\n## You\n\n*Attached: a.txt*\n\nFrance?\n\n## m\n\nParis.\n',
  );
});
