/** The quantile function of the Beta(a, b) distribution: the inverse of the regularized incomplete beta function. */
export function betaQuantile(p: number, a: number, b: number): number {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  let [low, high] = [0, 1];
  while (high - low > 1e-15) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (incompleteBeta(middle, a, b) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** I_x(a, b) by its continued fraction (NIST Digital Library of Mathematical Functions, 8.17.22). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast on this side only. The symmetry I_x(a, b) = 1 - I_(1-x)(b, a) covers the other side.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const scale = Math.exp(
    a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b) - Math.log(a),
  );
  return scale * fraction(x, a, b);
}

/** Evaluates the continued fraction by Lentz's method, with Thompson and Barnett's guard against zeros. */
function fraction(x: number, a: number, b: number): number {
  const guarded = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / guarded(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      d = 1 / guarded(1 + term * d);
      c = guarded(1 + term / c);
      change = c * d;
      value *= change;
    }
    if (Math.abs(change - 1) < 1e-16) break;
  }
  return value;
}

/** Lanczos's approximation with g = 7 and nine terms: 15 digits for positive arguments. */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const terms = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
    -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
  ];
  const z = x - 1;
  const sum = terms.reduce((total, term, index) => total + term / (z + index + 1), 0.9999999999998099);
  const t = z + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}
