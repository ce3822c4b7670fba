/** How long to wait before try number `attempt` (1 = the first repetition): doubling from half a second, with jitter. */
export function backoff(attempt: number): number {
  const [random] = crypto.getRandomValues(new Uint32Array(1));
  const longest = Math.min(500 * 2 ** (attempt - 1), 20_000);
  return longest * (0.5 + 0.5 * (random! / 2 ** 32));
}
