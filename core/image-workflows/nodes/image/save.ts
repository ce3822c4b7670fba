/** Pictures to files, to previews and to who listens. */

import { type CompressionLevel, encodePng } from '#core/image-codecs';
import type { ImageReference } from '../../files/workflow-files.ts';
import { toPixels } from '../../images/pixels.ts';
import { imageRaster, maskRaster, type Raster } from '../../images/rasters.ts';
import { link, string } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import { saveFiles } from '../kernel/save-files.ts';

/** Writes each picture as PNG, in turn, with an interrupt point after each. */
export async function savePngs(
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

/** Five letters, other ones for each node. */
export function temporaryPrefix({ promptId, nodeId }: NodeContext): string {
  let hash = 2166136261;
  for (const letter of `${promptId}/${nodeId}`)
    hash = Math.imul(hash ^ letter.codePointAt(0)!, 16777619) >>> 0;
  const letters = Array.from({ length: 5 }, (_, at) =>
    String.fromCharCode(97 + (Math.floor(hash / 26 ** at) % 26)),
  );
  return `ComfyUI_temp_${letters.join('')}`;
}

const hidden = { prompt: 'PROMPT', extra_pnginfo: 'EXTRA_PNGINFO' } as const;

const saveImage = node({
  name: 'SaveImage',
  displayName: 'Save Image',
  category: 'image',
  module: 'nodes',
  description: 'Saves pictures as PNG in the output folder, with the graph that made them.',
  isOutput: true,
  inputs: {
    images: link('IMAGE', { tooltip: 'The pictures to save.' }),
    filename_prefix: string({
      default: 'ComfyUI',
      tooltip:
        'Begins the names of the files; may name a folder, and %year%, %month%, %day%, %width% and such.',
    }),
  },
  hidden,
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
  description: 'Shows pictures without keeping them.',
  isOutput: true,
  inputs: { images: link('IMAGE', undefined) },
  hidden,
  outputs: [],
  run: async ({ images }, context) => ({
    ui: { images: await savePngs(imageRaster(images), temporaryPrefix(context), 'temp', 1, context) },
  }),
});

const maskPreview = node({
  name: 'MaskPreview',
  displayName: 'MaskPreview',
  category: 'mask',
  module: 'comfy_extras.nodes_mask',
  description: 'Shows a mask as a grey picture without keeping it.',
  isOutput: true,
  inputs: { mask: link('MASK', undefined) },
  hidden,
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
  description: 'Sends pictures as PNG to the client that asked, over its socket. Nothing is saved.',
  isOutput: true,
  inputs: { images: link('IMAGE', undefined) },
  outputs: [],
  // sent anew each time: there is nothing to find later
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

export const imageSaveNodes: AnyNode[] = [saveImage, previewImage, maskPreview, saveImageWebsocket];
