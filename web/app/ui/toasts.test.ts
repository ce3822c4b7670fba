/** Messages, and deletions that can be undone. */
import { beforeEach, expect, it } from 'vitest';
import { Toasts } from './toasts.ts';

let timers: Set<() => void>;
let toasts: Toasts;
beforeEach(() => {
  timers = new Set();
  toasts = new Toasts((run) => {
    timers.add(run);
    return () => timers.delete(run);
  });
});
const passTime = () => {
  for (const run of [...timers]) {
    timers.delete(run);
    run();
  }
};
const texts = { text: 'Chat deleted', undo: 'Undo' };

it('deletes when the message disappears, and hides the entry until then', () => {
  const deleted: string[] = [];
  toasts.deleteLater('a', texts, () => deleted.push('a'));
  expect(toasts.isDeleted('a')).toBe(true);
  expect(deleted).toEqual([]);
  passTime();
  expect(deleted).toEqual(['a']);
  expect(toasts.list).toEqual([]);
});

it('deletes nothing after undo', () => {
  const deleted: string[] = [];
  toasts.deleteLater('a', texts, () => deleted.push('a'));
  toasts.act(toasts.list[0]!);
  passTime();
  expect(deleted).toEqual([]);
  expect(toasts.isDeleted('a')).toBe(false);
});

it('keeps a message while the pointer is on it', () => {
  toasts.show({ text: 'Copied' });
  toasts.hold(toasts.list[0]!);
  passTime();
  expect(toasts.list).toHaveLength(1);
  toasts.release(toasts.list[0]!);
  passTime();
  expect(toasts.list).toEqual([]);
});

it('deletes at once when the page closes, and only once', () => {
  let count = 0;
  toasts.deleteLater('a', texts, () => count++);
  toasts.deleteLater('a', texts, () => count++);
  toasts.flush();
  passTime();
  expect(count).toBe(1);
});

it('shows an entry again whose deletion failed', async () => {
  toasts.deleteLater('a', texts, () => Promise.reject(new Error('busy')).catch(() => undefined));
  toasts.flush();
  await new Promise((resolve) => setTimeout(resolve));
  expect(toasts.isDeleted('a')).toBe(false);
});
