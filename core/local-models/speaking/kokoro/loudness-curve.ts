/** Samples of a step: 25 ms at 24 kHz. */
const STEP = 600;

/** How loud each step is: the root of its mean square. */
function loudnessCurve(samples: Float32Array): Float32Array {
  const curve = new Float32Array(Math.ceil(samples.length / STEP));
  for (const [index, value] of samples.entries()) curve[Math.floor(index / STEP)]! += value * value;
  return curve.map((sum) => Math.sqrt(sum / STEP));
}

/**
 * How alike two waveforms of one text are, from 0 to 1: the cosine of their loudness over time. Their samples differ,
 * because a voice has noise. 0 where their lengths differ by more than a tenth.
 */
export function likeness(a: Float32Array, b: Float32Array): number {
  const [left, right] = [loudnessCurve(a), loudnessCurve(b)];
  const [shorter, longer] = [left.length, right.length].sort((x, y) => x - y) as [number, number];
  if (shorter < longer * 0.9) return 0;
  let [product, squaresA, squaresB] = [0, 0, 0];
  for (let at = 0; at < shorter; at++) {
    product += left[at]! * right[at]!;
    squaresA += left[at]! ** 2;
    squaresB += right[at]! ** 2;
  }
  return squaresA === 0 || squaresB === 0 ? 0 : product / Math.sqrt(squaresA * squaresB);
}
