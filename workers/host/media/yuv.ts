/** Shares of red, green and blue in what is bright, as BT.709 has them. */
const [RED, GREEN, BLUE] = [0.2126, 0.7152, 0.0722] as const;

export const BT709: VideoColorSpaceInit = {
  matrix: 'bt709',
  primaries: 'bt709',
  transfer: 'bt709',
  fullRange: false,
};

/**
 * [height, width, 4] as I420 in BT.709's limited range: brightness for each pixel, and the two differences for squares of 2 x 2. Encoders
 * that are given red, green and blue choose a matrix of their own, and not all of them say which.
 */
export function i420(rgba: Uint8Array, width: number, height: number): Uint8Array<ArrayBuffer> {
  const [wide, high] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const made = new Uint8Array(width * height + 2 * wide * high);
  const [blueAt, redAt] = [width * height, width * height + wide * high];
  for (let y = 0; y < height; y += 2)
    for (let x = 0; x < width; x += 2) {
      let [red, green, blue, count] = [0, 0, 0, 0];
      for (let row = y; row < Math.min(y + 2, height); row++)
        for (let column = x; column < Math.min(x + 2, width); column++) {
          const at = (row * width + column) * 4;
          const [r, g, b] = [rgba[at]!, rgba[at + 1]!, rgba[at + 2]!];
          made[row * width + column] = 16.5 + (219 / 255) * (RED * r + GREEN * g + BLUE * b);
          red += r;
          green += g;
          blue += b;
          count++;
        }
      const bright = RED * red + GREEN * green + BLUE * blue;
      const square = (y / 2) * wide + x / 2;
      made[blueAt + square] = 128.5 + ((112 / 255) * (blue - bright)) / (1 - BLUE) / count;
      made[redAt + square] = 128.5 + ((112 / 255) * (red - bright)) / (1 - RED) / count;
    }
  return made;
}
