import { expect, it } from 'vitest';
import { apiNames, shortName, stateOf } from './cluster-facts.ts';

it('lists APIs', () => {
  expect([apiNames([]), apiNames(['webhooks']), apiNames(['local-models', 'image-workflows'])]).toEqual([
    'none',
    'Workflows',
    'Models and Images',
  ]);
});

it('says what a worker does', () => {
  expect(stateOf({ apis: ['webhooks'] })).toBe('takes work');
  expect(stateOf({ apis: ['webhooks'], draining: true })).toBe('drained');
  expect(stateOf({ apis: [] })).toBe('starting or stopping');
});

it('shortens long names, and keeps their unique end', () => {
  expect(shortName('worker-a-1-0123abcd')).toBe('worker-a-1-0123abcd');
  expect(shortName(`worker-${'h'.repeat(40)}-123-0123abcd`)).toBe('worker-hhhhhhhhhhhhh…123-0123abcd');
});
