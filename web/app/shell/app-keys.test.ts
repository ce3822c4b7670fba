import { expect, it } from 'vitest';
import { appKeyOf } from './app-keys.ts';

const element = (localName: string) => ({
  localName,
  matches: (all: string) => new RegExp(`(^|, )${localName}\\b`).test(all),
});
const press = (key: string, more: Partial<KeyboardEvent> = {}, ...path: string[]) =>
  appKeyOf({ key, composedPath: () => path.map(element), ...more } as unknown as KeyboardEvent);

it.each([
  ['k', { ctrlKey: true }, 'palette'],
  ['K', { metaKey: true }, 'palette'],
  ['o', { ctrlKey: true, shiftKey: true }, 'new-chat'],
  ['?', { shiftKey: true }, 'shortcuts'],
  ['k', {}, undefined],
  ['k', { ctrlKey: true, altKey: true }, undefined],
] as const)('knows %s with %j', (key, more, expected) => expect(press(key, more)).toBe(expected));

it('leaves a question mark to text fields and dialogs', () => {
  expect(press('?', {}, 'textarea', 'body')).toBeUndefined();
  expect(press('?', {}, 'button', 'dialog', 'body')).toBeUndefined();
  expect(press('?', {}, 'button', 'body')).toBe('shortcuts');
});

it('opens the palette from a text field, too', () => {
  expect(press('k', { ctrlKey: true }, 'textarea', 'body')).toBe('palette');
});
