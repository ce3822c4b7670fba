/**
 * The wait before a retry in milliseconds: doubles from half a second to 20 seconds, with jitter.
 * @param attempt 1 for the first retry
 */
export function backoff(attempt: number): number {
  const [random] = crypto.getRandomValues(new Uint32Array(1));
  const max = Math.min(500 * 2 ** (attempt - 1), 20_000);
  return max * (0.5 + 0.5 * (random! / 2 ** 32));
}
