/** Data sets for training, image by image: nodes of newer versions. */
import { type Raster, rasterToImage } from '../../images/rasters.ts';
import { encodePrompts } from '../../models/encoders/encode-prompts.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import type { VaeModel } from '../../values/image-models.ts';
import type { Latent } from '../../values/latent.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import {
  captionFile,
  captionOf,
  digestsOf,
  emptyFolder,
  folders,
  imagesIn,
  readFirstFrame,
  repeatedImagesIn,
} from '../image/folder.ts';
import { link, optional, string } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { module: 'comfy_extras.nodes_dataset', modern: true, experimental: true } as const;
const images = output('IMAGE', 'images', { list: true, tooltip: 'The images, each in its own size.' });

/** The images of files, each in its own size. Rejects when there are none, and when one cannot be read. */
async function loadEach(names: readonly string[], folder: string, context: NodeContext) {
  if (names.length === 0) throw emptyFolder(folder);
  const found: FloatTensor[] = [];
  for (const name of names) {
    const image: Raster = await readFirstFrame(name, context);
    found.push(rasterToImage(image));
    await context.progress(found.length, names.length);
  }
  return found;
}

const loadImages = node({
  ...shared,
  name: 'LoadImageDataSetFromFolder',
  displayName: 'Load Image (from Folder)',
  category: 'image',
  description: 'Loads all images of a folder of the input folder as a list.',
  inputs: { folder: folders() },
  outputs: [images],
  fingerprint: async ({ folder }, { files }) => digestsOf(await imagesIn(files, String(folder)), files),
  run: async ({ folder }, context) => [
    await loadEach(await imagesIn(context.files, folder), folder, context),
  ],
});

const loadImagesWithTexts = node({
  ...shared,
  name: 'LoadImageTextDataSetFromFolder',
  displayName: 'Load Image-Text (from Folder)',
  category: 'image',
  description:
    'Loads all images of a folder of the input folder as a list, and for each the text file of the same name.',
  inputs: { folder: folders() },
  outputs: [images, output('STRING', 'texts', { list: true, tooltip: 'The texts. Empty without a file.' })],
  async fingerprint({ folder }, { files }) {
    const names = await repeatedImagesIn(files, String(folder));
    return digestsOf([...names, ...names.map(captionFile)], files);
  },
  async run({ folder }, context) {
    const names = await repeatedImagesIn(context.files, folder);
    const found = await loadEach(names, folder, context);
    return [found, await Promise.all(names.map((name) => captionOf(name, context.files)))];
  },
});

const makeDataset = node({
  ...shared,
  name: 'MakeTrainingDataset',
  displayName: 'Make Training Dataset',
  category: 'model/training',
  description: 'Encodes images as latents, and their texts as prompts. One text serves all images.',
  inputsAreLists: true,
  inputs: {
    images: link('IMAGE'),
    vae: link('VAE'),
    clip: link('CLIP'),
    texts: optional(string({ forceInput: true })),
  },
  outputs: [
    output('LATENT', 'latents', { list: true, tooltip: 'The latents, one for each image.' }),
    output('CONDITIONING', 'conditioning', { list: true, tooltip: 'The prompts, one for each image.' }),
  ],
  async run(lists, { progress, signal }) {
    const { images, vae, clip, texts } = lists as unknown as {
      images: FloatTensor[];
      vae: VaeModel[];
      clip: ClipModel[];
      texts?: string[];
    };
    const written = texts === undefined || texts.length === 0 ? [''] : texts;
    const captions = written.length === 1 ? images.map(() => written[0]!) : written;
    if (captions.length !== images.length)
      throw new Error(
        `there are ${captions.length} texts for ${images.length} images: connect one text, or one for each image`,
      );
    const latents: Latent[] = [];
    const prompts: Conditioning[] = [];
    for (const [index, image] of images.entries()) {
      latents.push({ samples: await vae[0]!.encode(image, signal) });
      prompts.push(await encodePrompts(clip[0]!, captions[index]!, signal));
      await progress(index + 1, images.length);
    }
    return [latents, prompts];
  },
});

export const datasetNodes: AnyNode[] = [loadImages, loadImagesWithTexts, makeDataset];
