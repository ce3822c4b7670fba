import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CallerWatch } from './caller-watch.ts';

const livingClients = new Set<string>();
const get = vi.fn(async (id: string) => (livingClients.has(id) ? { id } : undefined));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('self', { clients: { get } });
  livingClients.clear();
  get.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the signal aborts when the page is gone, within one interval', async () => {
  livingClients.add('page');
  const { signal } = new CallerWatch().watch('page');
  await vi.advanceTimersByTimeAsync(2000);
  expect(signal.aborted).toBe(false);
  livingClients.delete('page');
  await vi.advanceTimersByTimeAsync(2000);
  expect(signal.reason).toMatchObject({ name: 'AbortError' });
});

test('a page that is gone does not end the watch of another page', async () => {
  livingClients.add('living');
  const callers = new CallerWatch();
  const gone = callers.watch('gone');
  const living = callers.watch('living');
  await vi.advanceTimersByTimeAsync(2000);
  expect([gone.signal.aborted, living.signal.aborted]).toEqual([true, false]);
  livingClients.delete('living');
  await vi.advanceTimersByTimeAsync(2000);
  expect(living.signal.aborted).toBe(true);
});

test('a stopped watch never aborts, and without watches no page is checked', async () => {
  const callers = new CallerWatch();
  const { signal, stop } = callers.watch('page');
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(signal.aborted).toBe(false);
  expect(get).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('a page that is not known is not watched', async () => {
  const { signal } = new CallerWatch().watch('');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(signal.aborted).toBe(false);
  expect(get).not.toHaveBeenCalled();
});
