/** Pictures from the folders of files. */

import { decodeImage, ImageUnreadable, type Pixels, withAlpha } from '#core/image-codecs';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { imageAndMask } from '../../images/pixels.ts';
import { emptyRaster, rasterToImage, rasterToMask } from '../../images/rasters.ts';
import { anyOf, boolean, choice, int } from '../kernel/inputs.ts';
import { fileChecks, requireFilePath } from '../kernel/named-file.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

type Access = Pick<NodeContext, 'files' | 'host'>;
const PICTURE = /\.(png|jpe?g|webp|gif)$/i;

/** The files that stand directly in the folder. */
const inputImages = async (files: WorkflowFiles) =>
  (await files.names('input')).filter((name) => PICTURE.test(name));

/** All frames of a file by the name in a graph. Throws with the name, and what is wrong. */
export async function readFrames(name: string, { files, host }: Access): Promise<Pixels[]> {
  const path = await requireFilePath('image', name, { files });
  try {
    return (await decodeImage(await files.read(path), host.imageCodecs)).frames;
  } catch (error) {
    if (!(error instanceof ImageUnreadable)) throw error;
    throw new ImageUnreadable(`cannot identify image file '${name}': ${error.message}`, { cause: error });
  }
}

const ofImage = fileChecks('image');

/** IMAGE and MASK of a file by the name in a graph. Throws with the name, and what is wrong. */
export async function loadImageAndMask({ image }: { image: string }, context: NodeContext) {
  const made = imageAndMask(await readFrames(image, context));
  return [rasterToImage(made.image), rasterToMask(made.mask)];
}

const loadImage = node({
  name: 'LoadImage',
  displayName: 'Load Image',
  category: 'image',
  module: 'nodes',
  description:
    'A picture of the input folder, with the mask of what is clear in it. Several frames become a batch.',
  ...ofImage,
  inputs: { image: choice(inputImages, { image_upload: true }) },
  outputs: [output('IMAGE'), output('MASK')],
  run: loadImageAndMask,
});

const loadImageOutput = node({
  name: 'LoadImageOutput',
  displayName: 'Load Image (from Outputs)',
  category: 'image',
  module: 'nodes',
  description: 'A picture that was made here. The list is read anew with the button beside it.',
  experimental: true,
  ...ofImage,
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
  description: 'The picture that an editor took with the camera and uploaded.',
  ...ofImage,
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
  description: 'One channel of a picture of the input folder. Of the opacity it is what is clear.',
  ...ofImage,
  inputs: { image: choice(inputImages, { image_upload: true }), channel: choice(CHANNELS) },
  outputs: [output('MASK')],
  async run({ image, channel }, context) {
    const pixels = (await readFrames(image, context))[0]!;
    if (channel === 'alpha' && pixels.channels === 3) return [rasterToMask(emptyRaster(1, 64, 64, 1))];
    const rgba = withAlpha(pixels);
    const made = emptyRaster(1, pixels.height, pixels.width, 1);
    const offset = channel === 'alpha' ? 3 : CHANNELS.indexOf(channel) - 1;
    for (let at = 0; at < made.data.length; at++) {
      const value = rgba[at * 4 + offset]! / 255;
      made.data[at] = channel === 'alpha' ? 1 - value : value;
    }
    return [rasterToMask(made)];
  },
});

export const imageLoadNodes: AnyNode[] = [loadImage, loadImageOutput, webcamCapture, loadImageMask];
