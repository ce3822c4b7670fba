/** Long work on pictures as steps, so that others get a turn and an interrupt is seen in between. */
export type Steps<T> = Generator<void, T, void>;

/** All at once. */
export function runToEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
  }
}

/** Milliseconds of work between turns. */
const STRETCH = 20;

/** Gives way every 20 ms. Rejects with the signal's reason. */
export async function runYielding<T>(steps: Steps<T>, signal: AbortSignal): Promise<T> {
  let turn = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as T;
    if (performance.now() - turn < STRETCH) continue;
    await yieldToEventLoop(signal);
    turn = performance.now();
  }
}

/** Lets others have a turn. Rejects with the signal's reason. */
export async function yieldToEventLoop(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, 0));
  signal.throwIfAborted();
}
