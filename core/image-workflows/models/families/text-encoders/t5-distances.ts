/** The distances between tokens that T5 distinguishes (Raffel et al., 2020, section 2.1). */

/** Longer distances share a bucket. */
export const FAR = 128;
const BUCKETS = 32;

/**
 * The bucket of each distance from -`FAR` to `FAR`. Half of the buckets is for tokens that follow. Half of those is for
 * short distances, one each; the others grow by powers. Computed in 32-bit floats, as the network was trained.
 */
export function bucketsByDistance(): number[] {
  const half = BUCKETS / 2;
  const exact = half / 2;
  return Array.from({ length: 2 * FAR + 1 }, (_, index) => {
    const distance = index - FAR;
    const steps = Math.abs(distance);
    const side = distance > 0 ? half : 0;
    if (steps < exact) return side + steps;
    const share = Math.fround(Math.fround(Math.log(steps / exact)) / Math.fround(Math.log(FAR / exact)));
    const grown = exact + Math.trunc(Math.fround(share * (half - exact)));
    return side + Math.min(grown, half - 1);
  });
}
