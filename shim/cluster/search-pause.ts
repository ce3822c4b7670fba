/** A search reads all executions that wait, so the next one waits this many times longer than it took. */
const FACTOR = 10;
/** Milliseconds. A search takes long also because the database is away, and then there is much to take over. */
const LONGEST = 10_000;

/**
 * How long the leader waits between two searches for executions of processes that have ended.
 * @param took milliseconds of the last search
 * @returns milliseconds
 */
export const searchPause = (took: number): number => Math.min(FACTOR * took, LONGEST);
