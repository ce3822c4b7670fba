import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';
import { createLog } from './log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('time has microseconds and follows the system when it is set', () => {
  vi.useRealTimers();
  const clock = systemClock();
  const times = Array.from({ length: 200 }, () => clock.now());
  expect(Math.abs(times[0]! - Date.now())).toBeLessThan(250);
  expect(times.some((time) => !Number.isInteger(time))).toBe(true);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  const set = vi.spyOn(Date, 'now').mockReturnValue(1_000_000_000_000);
  expect(clock.now()).toBe(1_000_000_000_000);
  set.mockRestore();
  const before = clock.nanoseconds();
  expect(clock.nanoseconds()).toBeGreaterThanOrEqual(before);
});

test('timers run beyond the longest delay of setTimeout, and can be cancelled', () => {
  const clock = systemClock();
  const month = 30 * 24 * 3600 * 1000;
  const late = vi.fn();
  const cancelled = vi.fn();
  const never = vi.fn();
  clock.after(month, late);
  const cancel = clock.after(month, cancelled);
  clock.after(Number.POSITIVE_INFINITY, never);
  vi.advanceTimersByTime(month - 10);
  expect(late).not.toHaveBeenCalled();
  cancel();
  vi.advanceTimersByTime(20);
  expect(late).toHaveBeenCalledTimes(1);
  expect(cancelled).not.toHaveBeenCalled();
  expect(never).not.toHaveBeenCalled();
});

test('log lines are readable text, or JSON', () => {
  vi.setSystemTime(new Date('2026-01-02T03:04:05.678Z'));
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  createLog({ write }).debug('not shown');
  createLog({ write }).info('model loaded', { model: 'smollm2:135m', note: 'two words', missing: undefined });
  createLog({ write, json: true, level: 'debug' }).error('failed', { error: new Error('why') });
  expect(lines[0]).toBe('03:04:05.678 info  model loaded model=smollm2:135m note="two words"\n');
  const parsed = JSON.parse(lines[1]!) as Record<string, string>;
  expect(parsed).toMatchObject({ time: '2026-01-02T03:04:05.678Z', level: 'error', message: 'failed' });
  expect(parsed.error).toContain('why');
});
