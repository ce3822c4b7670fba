/**
 * Streams of seven minutes, over all ways at once: longer than a service worker's event may last (310 s), and with two
 * minutes of silence in one of them.
 */
import { expect, stream, test } from './fixtures.ts';

const MINUTES = 7;

test('streams of seven minutes end as they should over every way', async ({ open }) => {
  test.setTimeout((MINUTES + 2) * 60_000);
  const first = await open();
  const second = await open();
  const seconds = MINUTES * 60;
  const every = `lines=${seconds}&interval=1000`;
  const silent = 'lines=3&interval=120000';
  const results = await Promise.all([
    stream(first, 'service worker', every),
    stream(first, 'direct port', every),
    stream(second, 'service worker', every),
    stream(second, 'direct port', every),
    stream(second, 'service worker', silent),
    stream(second, 'direct port', silent),
  ]);
  for (const result of results.slice(0, 4)) {
    expect(result).toMatchObject({ n: seconds + 1, done: true, error: undefined });
  }
  for (const result of results.slice(4)) expect(result).toMatchObject({ n: 4, done: true, error: undefined });
});
