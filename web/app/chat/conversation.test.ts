import { expect, it } from 'vitest';
import {
  chatRequestBody,
  copyPath,
  newestLeaf,
  pathTo,
  siblings,
  type Turn,
  titleOf,
} from './conversation.ts';

const turn = (id: string, at: number, parent?: string, more: Partial<Turn> = {}): Turn => ({
  id,
  conversation: 'c',
  role: id.startsWith('a') ? 'assistant' : 'user',
  content: id,
  state: 'done',
  at,
  ...(parent !== undefined && { parent }),
  ...more,
});

/** u1 -> a1, a2; a2 -> u2 -> a3; and u1 edited as u3. */
const turns = [
  turn('u1', 1),
  turn('a1', 2, 'u1'),
  turn('a2', 3, 'u1'),
  turn('u2', 4, 'a2'),
  turn('a3', 5, 'u2'),
  turn('u3', 6),
];
const ids = (list: readonly Turn[]) => list.map(({ id }) => id);
const at = (id: string) => turns.find((turn) => turn.id === id)!;

it('follows the branch to its leaf', () => {
  expect(ids(pathTo(turns, 'a3'))).toEqual(['u1', 'a2', 'u2', 'a3']);
  expect(ids(pathTo(turns, 'a1'))).toEqual(['u1', 'a1']);
  expect(pathTo(turns, undefined)).toEqual([]);
  expect(pathTo(turns, 'gone')).toEqual([]);
});

it('ends at a cycle', () => {
  expect(ids(pathTo([turn('u', 1, 'a'), turn('a', 2, 'u')], 'a'))).toEqual(['u', 'a']);
  expect(newestLeaf([turn('u', 1, 'u')], turn('u', 1, 'u')).id).toBe('u');
});

it('finds the versions of a turn and the newest leaf below it', () => {
  expect(ids(siblings(turns, at('a2')))).toEqual(['a1', 'a2']);
  expect(ids(siblings(turns, at('u3')))).toEqual(['u1', 'u3']);
  expect(newestLeaf(turns, at('u1')).id).toBe('a3');
  expect(newestLeaf(turns, at('a1')).id).toBe('a1');
});

it.each([
  ['  What\n is  it? ', 'What is it?'],
  [
    'Write a very long story about the sea, with many chapters, whales and storms.',
    'Write a very long story about the sea, with many chapters,…',
  ],
  ['a'.repeat(80), `${'a'.repeat(60)}…`],
])('derives a title from %j', (text, title) => expect(titleOf(text)).toBe(title));

it('requests only set options that the model supports', () => {
  const path = [
    turn('u1', 1, undefined, { images: ['AA=='] }),
    turn('a1', 2, 'u1', { content: '', state: 'failed' }),
    turn('a2', 3, 'u1', {
      content: '',
      toolCalls: [{ id: 'c1', function: { name: 'f', arguments: { x: 1 } } }],
    }),
    turn('t1', 4, 'a2', { role: 'tool', toolName: 'f', toolCallId: 'c1' }),
  ];
  const settings = { temperature: 0, seed: 7, think: true, tools: [{}], system: 'Be brief.' };
  expect(chatRequestBody('m', settings, path, ['vision', 'tools', 'thinking'])).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'u1', images: ['AA=='] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c1', function: { name: 'f', arguments: { x: 1 } } }],
      },
      { role: 'tool', content: 't1', tool_name: 'f', tool_call_id: 'c1' },
    ],
    options: { temperature: 0, seed: 7 },
    think: true,
    tools: [{}],
  });
  expect(chatRequestBody('m', { ...settings, system: ' ' }, path.slice(0, 1), [])).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'u1' }],
    options: { temperature: 0, seed: 7 },
  });
});

it('copies a complete branch with new ids', () => {
  const copy = copyPath(pathTo(turns, 'a3'), 'd');
  expect(copy.map(({ content }) => content)).toEqual(['u1', 'a2', 'u2', 'a3']);
  expect(copy.every(({ conversation }) => conversation === 'd')).toBe(true);
  expect(copy.map(({ parent }) => parent)).toEqual([undefined, ...ids(copy).slice(0, -1)]);
  expect(ids(copy).filter((id) => ids(turns).includes(id))).toEqual([]);
});
