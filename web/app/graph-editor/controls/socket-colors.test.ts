import { expect, it } from 'vitest';
import { socketColor } from './socket-colors.ts';

const hueOf = (type: string) => Number(/hsl\((\d+) /.exec(socketColor(type))![1]);

it.each([
  ['MODEL', 262],
  ['BOOLEAN', 0],
])('%s has its listed hue', (type, hue) => expect(hueOf(type)).toBe(hue));

it.each(['', 'model', 'A', 'toString', '😀', 'X'.repeat(10_000)])('%s has a hue of its own name', (type) => {
  expect(hueOf(type)).toBeGreaterThanOrEqual(0);
  expect(hueOf(type)).toBeLessThan(360);
  expect(socketColor(type)).toBe(socketColor(type));
});

it('distinguishes similar names', () => {
  const names = Array.from({ length: 26 }, (_, n) => `TYPE_${String.fromCharCode(65 + n)}`);
  expect(new Set(names.map(socketColor)).size).toBe(26);
});

it('leaves the socket of every type without a hue', () => expect(socketColor('*')).toBe('var(--soft)'));
