import { expect, test } from 'vitest';
import { searchPause } from './search-pause.ts';

test.each([
  [0, 0],
  [300, 3000],
  // The database was away meanwhile: what died then must not wait for minutes.
  [15_000, 10_000],
])('after a search of %i ms the next one waits %i ms', (took, pause) => {
  expect(searchPause(took)).toBe(pause);
});
