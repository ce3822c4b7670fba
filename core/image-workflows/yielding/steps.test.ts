import { expect, test } from 'vitest';
import { runToEnd, runYielding, type Steps } from './steps.ts';

function* until(isDone: () => boolean): Steps<string> {
  while (!isDone()) yield;
  return 'done';
}
const { signal } = new AbortController();

test('runYielding lets other events of the event loop happen', async () => {
  let happened = false;
  setTimeout(() => {
    happened = true;
  });
  const steps = until(() => happened);
  expect(await runYielding(steps, signal)).toBe('done');
});

test('runYielding rejects when the signal aborts', async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('interrupted')));
  const endless = until(() => false);
  await expect(runYielding(endless, controller.signal)).rejects.toThrow('interrupted');
});

test('runToEnd takes all steps at once', () => {
  let steps = 0;
  expect(runToEnd(until(() => ++steps > 1000))).toBe('done');
});
