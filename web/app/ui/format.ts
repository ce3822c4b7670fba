/** Readable sizes, rates and durations. */

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = count / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '';
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** Tokens per second, from a count and a duration in nanoseconds. */
export function tokensPerSecond(count: number, nanoseconds: number): string {
  if (nanoseconds <= 0) return '';
  const rate = count / (nanoseconds / 1e9);
  return `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} tokens/s`;
}
