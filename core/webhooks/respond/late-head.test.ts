import { expect, test } from 'vitest';
import { jsonResponse } from '#core/http/responses/plain-response.ts';
import { TestClock } from '#test/support/test-clock.ts';
import { lateHead } from './late-head.ts';

const CORS: [string, string][] = [['access-control-allow-origin', 'https://a.test']];
const never = new Promise<Response>(() => {});

test('an answer in time is the answer', async () => {
  const clock = new TestClock();
  const answer = await lateHead(
    Promise.resolve(jsonResponse({ a: 1 }, 404)),
    { platform: 'tab', clock },
    CORS,
  );
  expect([answer.status, clock.pending]).toEqual([404, 0]);
});

test('in a tab the head goes out before the browser gives up, the body when it is there', async () => {
  const clock = new TestClock();
  let respond!: (response: Response) => void;
  const answer = new Promise<Response>((resolve) => {
    respond = resolve;
  });
  const got = lateHead(answer, { platform: 'tab', clock }, CORS);
  await clock.advance(239_000);
  expect(await Promise.race([got, Promise.resolve('waits')])).toBe('waits');
  await clock.advance(2000);
  const response = await got;
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
    200,
    'https://a.test',
  ]);
  respond(jsonResponse({ message: 'Error in workflow' }, 500));
  expect(await response.json()).toEqual({ message: 'Error in workflow' });
});

test('elsewhere callers wait as long as they like', async () => {
  const clock = new TestClock();
  const got = lateHead(never, { platform: 'node', clock }, CORS);
  await clock.advance(1_000_000);
  expect(await Promise.race([got, Promise.resolve('waits')])).toBe('waits');
});
