/** Bands of frequencies as ears divide them: Slaney, "Auditory toolbox", 1998. */

/** Below 1000 Hz, bands are equally wide. Above, a band is the same ratio of frequencies. */
const [LINEAR_END, LINEAR_WIDTH] = [1000, 200 / 3];
const LINEAR_BANDS = LINEAR_END / LINEAR_WIDTH;
const RATIO = Math.log(6.4) / 27;

const toBand = (hertz: number): number =>
  hertz < LINEAR_END ? hertz / LINEAR_WIDTH : LINEAR_BANDS + Math.log(hertz / LINEAR_END) / RATIO;

const toHertz = (band: number): number =>
  band < LINEAR_BANDS ? band * LINEAR_WIDTH : LINEAR_END * Math.exp((band - LINEAR_BANDS) * RATIO);

export interface BandOptions {
  bands: number;
  sampleRate: number;
  /** Hertz. */
  lowest: number;
  highest: number;
  /** The samples of a transform. */
  length: number;
}

/** The shares of the frequencies from `start` on. */
export interface Band {
  start: number;
  shares: Float32Array;
}

/** Triangles over the frequencies of a transform, each of the area 1. */
export function melBands({ bands, sampleRate, lowest, highest, length }: BandOptions): Band[] {
  const [first, last] = [toBand(lowest), toBand(highest)];
  const edges = Array.from({ length: bands + 2 }, (_, at) =>
    toHertz(first + ((last - first) * at) / (bands + 1)),
  );
  const hertz = sampleRate / length;
  return Array.from({ length: bands }, (_, band) => {
    const [left, middle, right] = edges.slice(band, band + 3) as [number, number, number];
    const start = Math.ceil(left / hertz);
    const end = Math.min(Math.floor(right / hertz), length / 2);
    const shares = Float32Array.from({ length: Math.max(0, end - start + 1) }, (_, at) => {
      const frequency = (start + at) * hertz;
      const height = Math.min((frequency - left) / (middle - left), (right - frequency) / (right - middle));
      return (Math.max(0, height) * 2) / (right - left);
    });
    return { start, shares };
  });
}
