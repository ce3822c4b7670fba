import type { CodecFiles } from '../../host/image-codecs.ts';
import { decodeImage } from './codecs/decode.ts';
import { ImageUnreadable } from './codecs/pixels.ts';
import { encodePng } from './codecs/png/encode.ts';
import { withAlpha } from './codecs/rgba.ts';

/** The original with the opacity of `mask`, its texts kept. Both of one size; throws `ImageUnreadable` otherwise. */
export async function withMask(
  original: Uint8Array,
  mask: Uint8Array,
  codecs: CodecFiles | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const [below, above] = await Promise.all([decodeImage(original, codecs), decodeImage(mask, codecs)]);
  const picture = below.frames[0]!;
  const opacity = above.frames[0]!;
  if (picture.width !== opacity.width || picture.height !== opacity.height)
    throw new ImageUnreadable(
      `the mask is ${opacity.width} x ${opacity.height} pixels and the picture ${picture.width} x ${picture.height}: they must be of one size`,
    );
  const data = withAlpha(picture).slice();
  const alpha = withAlpha(opacity);
  for (let at = 3; at < data.length; at += 4) data[at] = alpha[at]!;
  return encodePng({ ...picture, channels: 4, data }, { texts: below.texts, level: 4 });
}
