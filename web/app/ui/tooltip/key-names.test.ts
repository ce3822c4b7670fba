import { expect, it } from 'vitest';
import { keyNames } from './key-names.ts';

it.each([
  ['Control+Shift+O', ['Ctrl', 'Shift', 'O']],
  ['?', ['?']],
  ['Escape', ['Esc']],
  ['', []],
])('the keys of %j are %j', (shortcut, names) => expect(keyNames(shortcut)).toEqual(names));
