/** Hues of common socket types. Types that often occur together have distant hues. */
const HUES: Record<string, number> = {
  MODEL: 262,
  CLIP: 45,
  VAE: 350,
  CONDITIONING: 25,
  LATENT: 310,
  IMAGE: 205,
  MASK: 160,
  INT: 130,
  FLOAT: 95,
  STRING: 185,
  BOOLEAN: 0,
  NOISE: 230,
  SAMPLER: 75,
  SIGMAS: 110,
  GUIDER: 285,
};

/** The CSS color of a socket type. Unlisted types get a hue from their name. */
export function socketColor(type: string): string {
  if (type === '*') return 'var(--soft)';
  const hue = Object.hasOwn(HUES, type) ? HUES[type]! : hueOf(type);
  return `light-dark(hsl(${hue} 62% 44%), hsl(${hue} 68% 70%))`;
}

function hueOf(type: string): number {
  let sum = 0;
  for (const character of type) sum = (sum * 31 + character.codePointAt(0)!) % 360;
  return sum;
}
