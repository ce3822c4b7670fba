/** Schedules from formulas: noise levels in descending order, usually with a last 0. `steps` must be at least 1. */

const single = Math.fround;

/**
 * `count` evenly spaced numbers from `from` to `to`. They are computed from both ends in single precision, as in torch:
 * Brownian noise depends on levels to 1e-6, so the last digits matter.
 */
export function linspace(from: number, to: number, count: number): number[] {
  const [first, last] = [single(from), single(to)];
  const step = count === 1 ? 0 : single(single(last - first) / (count - 1));
  return Array.from({ length: count }, (_, index) =>
    single(index < count / 2 ? first + step * index : last - step * (count - 1 - index)),
  );
}

/** The sigmas followed by 0. */
export const withFinalZero = (levels: Iterable<number>): Float32Array => Float32Array.from([...levels, 0]);

/** Karras et al. (EDM), 2022, equation 5. */
export function karras(steps: number, sigmaMin: number, sigmaMax: number, rho = 7): Float32Array {
  const [low, high] = [sigmaMin ** (1 / rho), sigmaMax ** (1 / rho)];
  return withFinalZero(
    linspace(0, 1, steps).map((way) => single(single(high) + single(way * single(low - high))) ** rho),
  );
}

/** Evenly spaced in log sigma. */
export const exponential = (steps: number, sigmaMin: number, sigmaMax: number): Float32Array =>
  withFinalZero(linspace(Math.log(sigmaMax), Math.log(sigmaMin), steps).map(Math.exp));

/** log sigma is a power of the progress. */
export function polyexponential(steps: number, sigmaMin: number, sigmaMax: number, rho = 1): Float32Array {
  const [low, high] = [Math.log(sigmaMin), Math.log(sigmaMax)];
  return withFinalZero(linspace(1, 0, steps).map((way) => Math.exp(way ** rho * (high - low) + low)));
}

/** The variance-preserving SDE (Song et al., "Score-based generative modeling through SDEs", 2021; EDM, table 1). */
export function variancePreserving(steps: number, betaD = 19.9, betaMin = 0.1, epsilon = 1e-3): Float32Array {
  return withFinalZero(
    linspace(1, epsilon, steps).map((time) =>
      Math.sqrt(Math.expm1((betaD * time * time) / 2 + betaMin * time)),
    ),
  );
}

/** Log sigma follows a Laplace distribution (Hang and Gu, "Improved noise schedule for diffusion training", 2024). No last 0. */
export function laplace(steps: number, sigmaMin: number, sigmaMax: number, mu = 0, beta = 0.5): Float32Array {
  const epsilon = 1e-5;
  return Float32Array.from(linspace(0, 1, steps), (way) => {
    const lambda = mu - beta * Math.sign(0.5 - way) * Math.log(1 - 2 * Math.abs(0.5 - way) + epsilon);
    return Math.min(Math.max(Math.exp(lambda), sigmaMin), sigmaMax);
  });
}

/** Evenly spaced in the angle atan(sigma) (Sabour et al., "Align your steps", 2024, theorem 3.1). */
export function klOptimal(steps: number, sigmaMin: number, sigmaMax: number): Float32Array {
  const [low, high] = [Math.atan(sigmaMin), Math.atan(sigmaMax)];
  return withFinalZero(linspace(0, 1, steps).map((way) => Math.tan(way * low + (1 - way) * high)));
}

/** Linear steps through the first 2.5 % of the noise, then quadratic ones (Polyak et al., "Movie Gen", 2024, section 3.4.2). */
export function linearQuadratic(steps: number, sigmaMax: number, threshold = 0.025): Float32Array {
  if (steps === 1) return withFinalZero([sigmaMax]);
  const linear = Math.floor(steps / 2);
  const quadratic = steps - linear;
  const gap = linear - threshold * steps;
  const square = gap / (linear * quadratic ** 2);
  const slope = threshold / linear - (2 * gap) / quadratic ** 2;
  const done = Array.from({ length: steps }, (_, index) =>
    index < linear
      ? (index * threshold) / linear
      : square * index ** 2 + slope * index + square * linear ** 2,
  );
  return withFinalZero(done.map((share) => (1 - share) * sigmaMax));
}

/**
 * Flow levels for video (HaCohen et al., "LTX-Video", 2024). The shift depends on the number of latent tokens. With
 * `terminal`, levels are stretched so that the last one before 0 has this value.
 */
export function tokenShifted(
  steps: number,
  tokens: number,
  shift: { max: number; base: number },
  terminal: number | undefined,
): Float32Array {
  const slope = (shift.max - shift.base) / (4096 - 1024);
  const factor = Math.exp(tokens * slope + shift.base - slope * 1024);
  const levels = linspace(1, 0, steps + 1)
    .slice(0, -1)
    .map((time) => factor / (factor + (1 / time - 1)));
  if (terminal === undefined) return withFinalZero(levels);
  const scale = (1 - levels.at(-1)!) / (1 - terminal);
  return withFinalZero(levels.map((level) => 1 - (1 - level) / scale));
}

/** Lines of the shift for 10 and 200 steps over the number of tokens, fitted by the authors of FLUX.2 (2025). */
const FLUX2_SHIFT = {
  few: { slope: 8.73809524e-5, base: 1.89833333 },
  many: { slope: 1.6927e-4, base: 0.45666666 },
};
/** Above this number of tokens the line for many steps holds alone. */
const FLUX2_TOKENS = 4300;

/** Flow levels of FLUX.2 (`get_schedule` of its published code): the shift depends on image tokens and steps. */
export function flux2Levels(steps: number, tokens: number): Float32Array {
  const { few, many } = FLUX2_SHIFT;
  const at200 = many.slope * tokens + many.base;
  const at10 = few.slope * tokens + few.base;
  const shift = tokens > FLUX2_TOKENS ? at200 : at10 + ((at200 - at10) * (steps - 10)) / 190;
  const factor = Math.exp(shift);
  const times = linspace(1, 0, steps + 1).slice(0, -1);
  return withFinalZero(times.map((time) => factor / (factor + (1 / time - 1))));
}
