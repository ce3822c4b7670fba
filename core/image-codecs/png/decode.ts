import { type DecodedImage, ImageUnreadable } from '../pixels.ts';
import { AnimationReader } from './animation-reader.ts';
import { readChunks } from './chunks.ts';
import { type PngColors, pixelsFromSamples } from './colors.ts';
import { type PngHeader, readHeader } from './header.ts';
import { inflateTo } from './inflate.ts';
import { rawSize, readSamples } from './scanlines.ts';
import { PngTexts } from './text-chunks.ts';

/**
 * Decodes every kind of PNG: 1 to 16 bits, gray, palette, RGB, with opacity, interlaced, animated. The size in the header
 * bounds the memory, whatever the chunks expand to.
 * @throws `ImageUnreadable`
 */
export function decodePng(bytes: Uint8Array): DecodedImage {
  let header: PngHeader | undefined;
  const colors: PngColors = {};
  const data: Uint8Array[] = [];
  const texts = new PngTexts();
  let animation: AnimationReader | undefined;
  for (const chunk of readChunks(bytes)) {
    if (!header && chunk.type !== 'IHDR') throw new ImageUnreadable('the PNG file has no header');
    switch (chunk.type) {
      case 'IHDR':
        if (header) throw new ImageUnreadable('the PNG file has two headers');
        header = readHeader(chunk.data);
        break;
      case 'PLTE':
        colors.palette = chunk.data;
        break;
      case 'tRNS':
        if (header!.kind !== 'rgba' && header!.kind !== 'gray-alpha') colors.transparency = chunk.data;
        break;
      case 'IDAT':
        animation?.startStillImage();
        data.push(chunk.data);
        break;
      case 'acTL':
        if (data.length === 0) animation ??= new AnimationReader(header!, chunk.data);
        break;
      case 'fcTL':
        animation?.addFrameControl(chunk.data);
        break;
      case 'fdAT':
        animation?.addData(chunk.data);
        break;
      case 'tEXt':
      case 'zTXt':
      case 'iTXt':
        texts.read(chunk);
        break;
    }
  }
  if (!header || data.length === 0) throw new ImageUnreadable('the PNG file holds no pixels');
  const still = () =>
    pixelsFromSamples(readSamples(inflateTo(data, rawSize(header)), header), header, colors);
  const frames = animation ? animation.frames(data, colors) : [];
  return { format: 'png', frames: frames.length > 0 ? frames : [still()], texts: texts.byKeyword };
}
