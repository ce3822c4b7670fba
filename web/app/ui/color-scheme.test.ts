import { expect, it } from 'vitest';
import { applyColorScheme, readColorScheme, storeColorScheme } from './color-scheme.ts';

function storage() {
  const stored = new Map<string, string>();
  return {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  };
}

it('stores a choice, and forgets it for the scheme of the system', () => {
  const local = storage();
  expect(readColorScheme(local)).toBe('system');
  storeColorScheme('dark', local);
  expect(readColorScheme(local)).toBe('dark');
  storeColorScheme('system', local);
  expect(readColorScheme(local)).toBe('system');
});

it('ignores an unknown stored value', () => {
  const local = storage();
  local.setItem('tabd.theme', 'sepia');
  expect(readColorScheme(local)).toBe('system');
});

it('marks the root of the document', () => {
  const root = { dataset: {} } as HTMLElement;
  applyColorScheme('light', root);
  expect(root.dataset.theme).toBe('light');
  applyColorScheme('system', root);
  expect(root.dataset.theme).toBeUndefined();
});
