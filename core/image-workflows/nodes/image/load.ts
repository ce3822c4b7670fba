/** Nodes that load images from the input and output folders. */

import { decodeImage, ImageUnreadable, type Pixels, withAlpha } from '#core/image-codecs';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { imageAndMask } from '../../images/pixels.ts';
import { emptyRaster, rasterToImage, rasterToMask } from '../../images/rasters.ts';
import { anyOf, boolean, choice, int } from '../kernel/inputs.ts';
import { fileChecks, requireFilePath } from '../kernel/named-file.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

type ImageAccess = Pick<NodeContext, 'files' | 'host'>;
const IMAGE_NAME = /\.(png|jpe?g|webp|gif)$/i;

/** Images directly in the input folder. Those in subfolders are valid, too, but not listed. */
const inputImages = async (files: WorkflowFiles) =>
  (await files.names('input')).filter((name) => IMAGE_NAME.test(name));

/** All frames of an image file that a graph names. Rejects with `ImageUnreadable`, which contains name and reason. */
export async function readFrames(name: string, { files, host }: ImageAccess): Promise<Pixels[]> {
  const path = await requireFilePath('image', name, { files });
  try {
    return (await decodeImage(await files.read(path), host.imageCodecs)).frames;
  } catch (error) {
    if (!(error instanceof ImageUnreadable)) throw error;
    throw new ImageUnreadable(`cannot identify image file '${name}': ${error.message}`, { cause: error });
  }
}

const imageChecks = fileChecks('image');

/** IMAGE and MASK of an image file that a graph names. Rejects as `readFrames` does. */
export async function loadImageAndMask({ image }: { image: string }, context: NodeContext) {
  const rasters = imageAndMask(await readFrames(image, context));
  return [rasterToImage(rasters.image), rasterToMask(rasters.mask)];
}

const loadImage = node({
  name: 'LoadImage',
  displayName: 'Load Image',
  category: 'image',
  module: 'nodes',
  description:
    'Loads an image of the input folder, with a mask of its transparency. Several frames become a batch.',
  ...imageChecks,
  inputs: { image: choice(inputImages, { image_upload: true }) },
  outputs: [output('IMAGE'), output('MASK')],
  run: loadImageAndMask,
});

const loadImageOutput = node({
  name: 'LoadImageOutput',
  displayName: 'Load Image (from Outputs)',
  category: 'image',
  module: 'nodes',
  description: 'Loads an image of the output folder. The button next to the list refreshes it.',
  experimental: true,
  ...imageChecks,
  inputs: {
    image: anyOf('COMBO', {
      image_upload: true,
      image_folder: 'output',
      remote: { route: '/internal/files/output', refresh_button: true, control_after_refresh: 'first' },
    }),
  },
  outputs: [output('IMAGE'), output('MASK')],
  run: ({ image }, context) => loadImageAndMask({ image: String(image) }, context),
});

const webcamCapture = node({
  name: 'WebcamCapture',
  displayName: 'Webcam Capture',
  category: 'image',
  module: 'comfy_extras.nodes_webcam',
  description: 'Loads an image that an editor captured with the camera and uploaded.',
  ...imageChecks,
  inputs: {
    image: anyOf('WEBCAM'),
    width: int({ default: 0, min: 0, max: 16384, step: 1 }),
    height: int({ default: 0, min: 0, max: 16384, step: 1 }),
    capture_on_queue: boolean({ default: true }),
  },
  outputs: [output('IMAGE')],
  run: async ({ image }, context) => [(await loadImageAndMask({ image: String(image) }, context))[0]],
});

const CHANNELS = ['alpha', 'red', 'green', 'blue'] as const;

const loadImageMask = node({
  name: 'LoadImageMask',
  displayName: 'Load Image (as Mask)',
  category: 'mask',
  module: 'nodes',
  description: 'Loads one channel of an image of the input folder as a mask. The channel alpha is inverted.',
  ...imageChecks,
  inputs: { image: choice(inputImages, { image_upload: true }), channel: choice(CHANNELS) },
  outputs: [output('MASK')],
  async run({ image, channel }, context) {
    const pixels = (await readFrames(image, context))[0]!;
    if (channel === 'alpha' && pixels.channels === 3) return [rasterToMask(emptyRaster(1, 64, 64, 1))];
    const rgba = withAlpha(pixels);
    const mask = emptyRaster(1, pixels.height, pixels.width, 1);
    const offset = channel === 'alpha' ? 3 : CHANNELS.indexOf(channel) - 1;
    for (let at = 0; at < mask.data.length; at++) {
      const value = rgba[at * 4 + offset]! / 255;
      mask.data[at] = channel === 'alpha' ? 1 - value : value;
    }
    return [rasterToMask(mask)];
  },
});

export const imageLoadNodes: AnyNode[] = [loadImage, loadImageOutput, webcamCapture, loadImageMask];
