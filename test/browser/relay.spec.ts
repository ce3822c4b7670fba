import { expect, json, log, stream, test, type Way } from './fixtures.ts';

const WAYS: Way[] = ['service worker', 'direct port'];

for (const way of WAYS) {
  for (const tab of ['first tab', 'second tab'] as const) {
    test.describe(`${way}, ${tab}`, () => {
      test('a plain answer', async ({ open, site }) => {
        const first = await open();
        const page = tab === 'first tab' ? first : await open();
        const answer = await json<{ server: string }>(page, way, '/api/version');
        const same = await json<{ server: string }>(first, 'direct port', '/api/version');
        expect(answer.server).toBe(same.server);
        expect(site.leaked).toEqual([]);
      });

      test('a stream', async ({ open }) => {
        const first = await open();
        const page = tab === 'first tab' ? first : await open();
        const result = await stream(page, way, 'lines=200&interval=1');
        expect(result).toMatchObject({ n: 201, done: true, status: 200 });
        expect(result.error).toBeUndefined();
      });
    });
  }
}
