import { bridge } from './bridge.ts';

interface Timer {
  run(): void;
  /** Milliseconds, of a timer that repeats. */
  interval?: number;
}

const pending = new Map<number, Timer>();
let lastId = 0;

function add(milliseconds: unknown, run: () => void, repeats: boolean): number {
  const delay = Math.max(0, Math.min(Number(milliseconds) || 0, 2 ** 31 - 1));
  const id = ++lastId;
  pending.set(id, repeats ? { run, interval: Math.max(1, delay) } : { run });
  bridge.timer(id, delay);
  return id;
}

function clear(id: unknown): void {
  if (pending.delete(Number(id))) bridge.clearTimer(Number(id));
}

type Callback = (...args: unknown[]) => void;

export const timers = {
  setTimeout: (run: Callback, milliseconds?: unknown, ...args: unknown[]) =>
    add(milliseconds, () => run(...args), false),
  setInterval: (run: Callback, milliseconds?: unknown, ...args: unknown[]) =>
    add(milliseconds, () => run(...args), true),
  setImmediate: (run: Callback, ...args: unknown[]) => add(0, () => run(...args), false),
  clearTimeout: clear,
  clearInterval: clear,
  clearImmediate: clear,
};

/** Runs a timer's callback. The thread calls this when the time is over. */
export function fireTimer(id: number): void {
  const timer = pending.get(id);
  if (!timer) return;
  if (timer.interval === undefined) pending.delete(id);
  else bridge.timer(id, timer.interval);
  timer.run();
}
