/** Decoders and encoders of image files. Decoders return `Pixels`, and encoders take them. */
export { dropAlpha, withAlpha } from './alpha.ts';
export { decodeImage } from './decode.ts';
export { type Chromaticities, encodeExr, type FloatPixels } from './exr/encode.ts';
export { encodeJpeg } from './jpeg/encode.ts';
export { ImageUnreadable, MAX_PIXELS, type Pixels } from './pixels.ts';
export { readChunks } from './png/chunks.ts';
export { type CompressionLevel, encodeAnimatedPng, encodePng } from './png/encode.ts';
export { encodeDeepPng } from './png/encode-deep.ts';
export { PngTexts } from './png/text-chunks.ts';
export { encodeAnimatedWebp, encodeWebp } from './webp/encode.ts';
