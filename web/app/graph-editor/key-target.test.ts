/** Which keys the editor handles. Elements are objects with the parts that it reads. */
import { expect, it } from 'vitest';
import { isInDialog, isOutside, isTyping } from './key-target.ts';

const element = (localName: string) => ({
  localName,
  matches: (all: string) => new RegExp(`\\b${localName}\\b`).test(all),
});
const press = (...names: string[]) => {
  const path = names.map(element);
  return { path, event: { composedPath: () => [...path, {}] } as unknown as Event };
};

it('leaves the keys of a dialog to it, so that Escape closes it', () => {
  expect(isInDialog(press('button', 'form', 'dialog', 'tabd-graph-editor').event)).toBe(true);
  expect(isInDialog(press('div', 'tabd-graph-editor').event)).toBe(false);
});

it('takes keys that are pressed outside, but not those of text fields and dialogs', () => {
  const editor = {} as EventTarget;
  expect(isOutside(press('h1', 'main', 'body').event, editor)).toBe(true);
  expect(isOutside(press('input', 'main', 'body').event, editor)).toBe(false);
  expect(isOutside(press('button', 'dialog', 'body').event, editor)).toBe(false);
  const inside = press('div', 'tabd-graph-editor');
  expect(isOutside(inside.event, inside.path[1] as unknown as EventTarget)).toBe(false);
});

it('leaves text fields their keys', () => {
  expect(isTyping(press('textarea').event)).toBe(true);
  expect(isTyping(press('a').event)).toBe(false);
});
