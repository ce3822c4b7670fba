/** The coefficients of red, green and blue in luma (BT.709). */
const [RED, GREEN, BLUE] = [0.2126, 0.7152, 0.0722] as const;

export const BT709: VideoColorSpaceInit = {
  matrix: 'bt709',
  primaries: 'bt709',
  transfer: 'bt709',
  fullRange: false,
};

/**
 * RGBA pixels [height, width, 4] as I420 in the limited range of BT.709. A plane of luma precedes the chroma planes U and V,
 * which have half the resolution. Encoders that receive RGB choose a matrix of their own, and some do not record which.
 */
export function toI420(rgba: Uint8Array, width: number, height: number): Uint8Array<ArrayBuffer> {
  const [chromaWidth, chromaHeight] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const planes = new Uint8Array(width * height + 2 * chromaWidth * chromaHeight);
  const uStart = width * height;
  const vStart = uStart + chromaWidth * chromaHeight;
  for (let y = 0; y < height; y += 2)
    for (let x = 0; x < width; x += 2) {
      let [red, green, blue, count] = [0, 0, 0, 0];
      for (let row = y; row < Math.min(y + 2, height); row++)
        for (let column = x; column < Math.min(x + 2, width); column++) {
          const at = (row * width + column) * 4;
          const [r, g, b] = [rgba[at]!, rgba[at + 1]!, rgba[at + 2]!];
          planes[row * width + column] = 16.5 + (219 / 255) * (RED * r + GREEN * g + BLUE * b);
          red += r;
          green += g;
          blue += b;
          count++;
        }
      const luma = RED * red + GREEN * green + BLUE * blue;
      const square = (y / 2) * chromaWidth + x / 2;
      planes[uStart + square] = 128.5 + ((112 / 255) * (blue - luma)) / (1 - BLUE) / count;
      planes[vStart + square] = 128.5 + ((112 / 255) * (red - luma)) / (1 - RED) / count;
    }
  return planes;
}
