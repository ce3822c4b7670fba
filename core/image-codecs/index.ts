export { dropAlpha } from './canvas.ts';
export { decodeImage } from './decode.ts';
export { encodeJpeg } from './jpeg/jpeg.ts';
export { ImageUnreadable, MAX_PIXELS, type Pixels } from './pixels.ts';
export { readChunks } from './png/chunks.ts';
export { type CompressionLevel, encodeAnimatedPng, encodePng } from './png/encode.ts';
export { Texts } from './png/texts.ts';
export { withAlpha } from './rgba.ts';
export { encodeAnimatedWebp, encodeWebp } from './webp/encode.ts';
