import {
  concatBatches,
  emptyRaster,
  imageRaster,
  type Raster,
  rasterAt,
  rasterToImage,
  withChannels,
} from '../../images/rasters.ts';
import { requireMediaCodecs } from '../../video/codecs.ts';
import { encodeVideoFile } from '../../video/encode-video.ts';
import { videoFromFile } from '../../video/video-file.ts';
import { int, link } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

/** The coarsest quality of H.264. */
const COARSEST = 51;

/** H.264 has even sides only. */
function evenSides(image: Raster): Raster {
  const [height, width] = [image.height, image.width].map((side) => Math.floor(side / 2) * 2) as [
    number,
    number,
  ];
  if (height === image.height && width === image.width) return image;
  if (height * width === 0) throw new TypeError('an image of 2 x 2 pixels or more is needed');
  const result = emptyRaster(1, height, width, 3);
  for (let row = 0; row < height; row++)
    result.data.set(
      image.data.subarray(row * image.width * 3, (row * image.width + width) * 3),
      row * width * 3,
    );
  return result;
}

/** An image as the only frame of a video file, and back. */
async function compressed(image: Raster, quantizer: number, { host, signal }: NodeContext): Promise<Raster> {
  const codecs = requireMediaCodecs(host);
  const parts = { images: rasterToImage(image), fps: 1 };
  const form = { container: 'mp4', codecs: ['h264'], quantizer, metadata: {} } as const;
  const file = await encodeVideoFile(codecs, parts, form, signal);
  const video = videoFromFile(() => codecs, { name: 'the compressed image', read: async () => file });
  return rasterAt(withChannels(imageRaster((await video.parts(signal)).images), 3), 0);
}

const preprocess = node({
  name: 'LTXVPreprocess',
  category: 'image',
  module: 'comfy_extras.nodes_lt',
  modern: true,
  description:
    'Compresses images as frames of a video: LTX Video moves images more that look like frames. img_compression: 0 leaves them as they are.',
  inputs: { image: link('IMAGE'), img_compression: int({ default: 35, min: 0, max: 100 }) },
  outputs: [output('IMAGE', 'output_image')],
  async run({ image, img_compression }, context) {
    if (img_compression === 0) return [image];
    const images = withChannels(imageRaster(image), 3);
    const results: Raster[] = [];
    for (let at = 0; at < images.batch; at++)
      results.push(
        await compressed(evenSides(rasterAt(images, at)), Math.min(img_compression, COARSEST), context),
      );
    return [rasterToImage(concatBatches(results))];
  },
});

/** The nodes in the order of `/object_info`. */
export const ltxvPreprocessNodes: AnyNode[] = [preprocess];
