import { expect, it } from 'vitest';
import { UndoHistory } from './undo-history.ts';

it('undoes and redoes, and merges changes of one field', () => {
  const history = new UndoHistory(0);
  history.push(1, 'field');
  history.push(2, 'field');
  history.push(3, 'other');
  history.undo();
  expect(history.present).toBe(2);
  history.undo();
  expect([history.present, history.canUndo, history.canRedo]).toEqual([0, false, true]);
  history.redo();
  history.push(9, 'field');
  expect([history.present, history.canRedo]).toEqual([9, false]);
  history.undo();
  expect(history.present).toBe(2);
});

it('merges changes of one key only within the merge window', () => {
  let time = 0;
  const history = new UndoHistory('a', { mergeWindow: 1500, now: () => time });
  history.push('ab', 'typing');
  time = 1000;
  history.push('abc', 'typing');
  time = 5000;
  history.push('abcd', 'typing');
  history.undo();
  expect(history.present).toBe('abc');
  history.undo();
  expect(history.present).toBe('a');
  expect(history.undo()).toBe(false);
  history.redo();
  expect(history.present).toBe('abc');
  history.push('x');
  expect(history.canRedo).toBe(false);
});

it('makes no step of an unchanged value', () => {
  const history = new UndoHistory('a');
  history.push('a');
  expect(history.canUndo).toBe(false);
  history.push('b');
  history.undo();
  history.push('a');
  expect(history.canRedo).toBe(true);
});

it('remembers at most 200 steps', () => {
  const history = new UndoHistory(0);
  for (let value = 1; value <= 250; value++) history.push(value);
  while (history.undo());
  expect(history.present).toBe(50);
});
