/** Statistics of measurements. */

export function percentile(values: number[], fraction: number): number {
  if (values.length === 0) throw new Error('nothing was measured');
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))]!;
}

export const median = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? percentile(values, 0.5) : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/**
 * Measures `a` and `b` alternately, so that other load affects both alike. The order within a pair
 * alternates too.
 */
export async function interleaved<T>(
  pairs: number,
  a: () => Promise<T>,
  b: () => Promise<T>,
): Promise<{ a: T[]; b: T[] }> {
  const measured = { a: [] as T[], b: [] as T[] };
  for (let pair = 0; pair < pairs; pair++) {
    if (pair % 2 === 0) measured.a.push(await a());
    measured.b.push(await b());
    if (pair % 2 === 1) measured.a.push(await a());
  }
  return measured;
}

/** Median of the ratios of neighboring measurements: a slow moment affects both of a pair. */
export function pairedRatio(a: number[], b: number[]): number {
  return median(a.map((value, index) => value / b[index]!));
}

/** The slope of `y` over `x`, by least squares. */
export function regressionSlope(x: number[], y: number[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(x), mean(y)];
  const above = x.reduce((sum, value, index) => sum + (value - meanX) * (y[index]! - meanY), 0);
  return above / x.reduce((sum, value) => sum + (value - meanX) ** 2, 0);
}
