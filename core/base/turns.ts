/** Long computations take turns: between two of their slices the event loop handles other events. */

/** Computations that wait for their turn. The first one has waited longest. */
const waiting: (() => void)[] = [];
let isArmed = false;

/**
 * Resolves when the caller may compute again, for some milliseconds. Of several computations only one continues in a turn. With
 * a timer for each, all would continue at once, and a small request would wait for all of them.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (!isArmed) arm();
  });
}

function arm(): void {
  isArmed = true;
  setTimeout(run, 0);
}

function run(): void {
  waiting.shift()!();
  // The released computation works after this callback. A timer that started before it would be over at its end, and Node
  // would call it without a look at sockets. So the next timer starts after it.
  if (waiting.length > 0) setTimeout(arm, 0);
  else isArmed = false;
}
