/** Nodes that save images, show them as previews and send them to clients. */

import { type CompressionLevel, encodePng } from '#core/image-codecs';
import type { ImageReference } from '../../files/workflow-files.ts';
import { toPixels } from '../../images/pixels.ts';
import { imageRaster, maskRaster, type Raster } from '../../images/rasters.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { anyOf, link, optional, string } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import { saveFiles } from '../kernel/save-files.ts';

/** Saves each image of a batch as PNG. Rejects with the signal's reason before the next one when cancelled. */
async function savePngs(
  images: Raster,
  prefix: string,
  folder: 'output' | 'temp',
  level: CompressionLevel,
  context: NodeContext,
): Promise<ImageReference[]> {
  const target = await context.files.target(prefix, folder, images);
  return saveFiles(images.batch, [target, folder, 'png'], context, (index, texts) =>
    encodePng(toPixels(images, index), { texts, level }),
  );
}

/** A file name prefix that ends in five letters: a hash of prompt and node, so that nodes have different ones. */
export function temporaryPrefix({ promptId, nodeId }: NodeContext): string {
  let hash = 2166136261;
  for (const letter of `${promptId}/${nodeId}`)
    hash = Math.imul(hash ^ letter.codePointAt(0)!, 16777619) >>> 0;
  const letters = Array.from({ length: 5 }, (_, at) =>
    String.fromCharCode(97 + (Math.floor(hash / 26 ** at) % 26)),
  );
  return `ComfyUI_temp_${letters.join('')}`;
}

const saveImage = node({
  name: 'SaveImage',
  displayName: 'Save Image',
  category: 'image',
  module: 'nodes',
  description: 'Saves images as PNG in the output folder, with the graph in their metadata.',
  isOutput: true,
  inputs: {
    images: link('IMAGE', { tooltip: 'The images to save.' }),
    filename_prefix: string({
      default: 'ComfyUI',
      tooltip:
        'The start of the file names. May contain a folder, and tokens such as %year%, %month%, %day% and %width%.',
    }),
  },
  hidden: METADATA_INPUTS,
  outputs: [],
  run: async ({ images, filename_prefix }, context) => ({
    ui: { images: await savePngs(imageRaster(images), filename_prefix, 'output', 4, context) },
  }),
});

const previewImage = node({
  name: 'PreviewImage',
  displayName: 'Preview Image',
  category: 'image',
  module: 'nodes',
  description: 'Shows images without saving them.',
  isOutput: true,
  inputs: { images: link('IMAGE', undefined) },
  hidden: METADATA_INPUTS,
  outputs: [],
  run: async ({ images }, context) => ({
    ui: { images: await savePngs(imageRaster(images), temporaryPrefix(context), 'temp', 1, context) },
  }),
});

const imageCompare = node({
  name: 'ImageCompare',
  displayName: 'Image Compare',
  category: 'image',
  module: 'comfy_extras.nodes_image_compare',
  modern: true,
  description: 'Shows two images, one over the other, with a line between them that can be moved.',
  isOutput: true,
  inputs: {
    image_a: optional(link('IMAGE')),
    image_b: optional(link('IMAGE')),
    compare_view: optional(anyOf('IMAGECOMPARE')),
  },
  hidden: METADATA_INPUTS,
  outputs: [],
  async run({ image_a, image_b }, context) {
    const show = async (images: FloatTensor | undefined, side: string) =>
      images ? savePngs(imageRaster(images), `${temporaryPrefix(context)}_${side}`, 'temp', 1, context) : [];
    return { ui: { a_images: await show(image_a, 'a'), b_images: await show(image_b, 'b') } };
  },
});

const maskPreview = node({
  name: 'MaskPreview',
  displayName: 'MaskPreview',
  category: 'mask',
  module: 'comfy_extras.nodes_mask',
  description: 'Shows a mask as a gray image without saving it.',
  isOutput: true,
  inputs: { mask: link('MASK', undefined) },
  hidden: METADATA_INPUTS,
  outputs: [],
  run: async ({ mask }, context) => ({
    ui: { images: await savePngs(maskRaster(mask), temporaryPrefix(context), 'temp', 4, context) },
  }),
});

const saveImageWebsocket = node({
  name: 'SaveImageWebsocket',
  displayName: 'SaveImageWebsocket',
  category: 'api/image',
  module: 'custom_nodes.websocket_image_save',
  description: 'Sends images as PNG to the client of the prompt, over its WebSocket. Saves nothing.',
  isOutput: true,
  inputs: { images: link('IMAGE', undefined) },
  outputs: [],
  // The result is never cached, because each execution has to send the images again.
  fingerprint: () => undefined,
  async run({ images }, context) {
    const raster = imageRaster(images);
    for (let index = 0; index < raster.batch; index++) {
      await context.progress(index, raster.batch);
      context.sendImage({ type: 'image/png', bytes: encodePng(toPixels(raster, index), { level: 4 }) });
    }
    return [];
  },
});

export const imageSaveNodes: AnyNode[] = [
  saveImage,
  previewImage,
  imageCompare,
  maskPreview,
  saveImageWebsocket,
];
