/** Five-point Gauss-Legendre rule: exact for polynomials up to the ninth degree. */
const POINTS = [-0.906179845938664, -0.5384693101056831, 0, 0.5384693101056831, 0.906179845938664];
const WEIGHTS = [
  0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891,
];

/** The integral of `f` from `from` to `to`, which may be smaller, in `panels` equal parts. */
export function integral(f: (x: number) => number, from: number, to: number, panels = 1): number {
  const half = (to - from) / panels / 2;
  let sum = 0;
  for (let panel = 0; panel < panels; panel++) {
    const center = from + (2 * panel + 1) * half;
    for (const [index, point] of POINTS.entries()) sum += WEIGHTS[index]! * f(center + half * point);
  }
  return sum * half;
}

/** The polynomial that is 1 at `nodes[k]` and 0 at the others. */
export function lagrange(nodes: readonly number[], k: number, x: number): number {
  let product = 1;
  for (const [index, node] of nodes.entries()) {
    if (index !== k) product *= (x - node) / (nodes[k]! - node);
  }
  return product;
}
