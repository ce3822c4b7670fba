/** Nodes that load all images of a folder as one batch, with or without their captions. */
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { crop, paste } from '../../images/operations/geometry.ts';
import { imageAndMask } from '../../images/pixels.ts';
import { concatBatches, emptyRaster, type Raster, rasterToImage } from '../../images/rasters.ts';
import { resizeSteps } from '../../images/resize/resize.ts';
import { encodePrompts } from '../../models/encoders/encode-prompts.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { runYielding } from '../../yielding/steps.ts';
import { choice, int, link, optional } from '../kernel/inputs.ts';
import type { NodeContext } from '../kernel/node-context.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';
import { readFrames } from './load.ts';

const IMAGE_NAME = /\.(png|jpe?g|webp)$/i;

/** All folders below the input folder, sorted. */
async function inputFolders(files: WorkflowFiles): Promise<string[]> {
  const folders = new Set<string>();
  for (const name of await files.names('input', true)) {
    const parts = name.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth++) folders.add(parts.slice(0, depth).join('/'));
  }
  return [...folders].sort();
}

/** Names of the images directly in a folder. */
export const imagesIn = async (files: WorkflowFiles, folder: string): Promise<string[]> =>
  (await files.names('input', true)).filter(
    (name) => IMAGE_NAME.test(name) && name.slice(0, name.lastIndexOf('/')) === folder,
  );

/** The top left corner of an image in a size. The part beyond the image is black. */
function topLeftCorner(raster: Raster, width: number, height: number): Raster {
  const corner = emptyRaster(raster.batch, height, width, raster.channels);
  paste(corner, crop(raster, 0, 0, width, height), 0, 0);
  return corner;
}

type FitMethod = 'None' | 'Stretch' | 'Crop' | 'Pad';
type ImageAccess = Pick<NodeContext, 'files' | 'host' | 'signal'>;

/** The choice of a folder of the input folder. */
export const folders = () => choice(inputFolders, {});
const method = () => optional(choice(['None', 'Stretch', 'Crop', 'Pad'], { default: 'None' }));

/** Names and digests of files, for fingerprints. Missing files are left out. */
export async function digestsOf(names: readonly string[], files: WorkflowFiles): Promise<string> {
  const digests: string[] = [];
  for (const name of names) {
    const found = await files.find(name);
    if (found) digests.push(`${name} ${await files.digest(found.path)}`);
  }
  return digests.join('\n');
}

/**
 * Loads images one by one in a common size: the requested one, or that of the first image. Rejects for an image of
 * another size with the method `None`.
 */
async function* loadImages(
  names: readonly string[],
  resize: { method: FitMethod; width?: number; height?: number },
  access: ImageAccess,
): AsyncGenerator<Raster> {
  let { width, height } = resize;
  for (const name of names) {
    const image = await readFirstFrame(name, access);
    width ??= image.width;
    height ??= image.height;
    const fits = image.width === width && image.height === height;
    if (fits) yield image;
    else if (resize.method === 'None')
      throw new Error(
        `${name} has ${image.width} x ${image.height} pixels instead of ${width} x ${height}: choose a resize method`,
      );
    else if (resize.method === 'Crop') yield topLeftCorner(image, width, height);
    // ComfyUI stretches with `Pad`, too.
    else yield await runYielding(resizeSteps(image, width, height, 'lanczos'), access.signal);
  }
}

/** The first frame of an image file. Rejects when it cannot be read. */
export const readFirstFrame = async (name: string, access: ImageAccess): Promise<Raster> =>
  imageAndMask((await readFrames(name, access)).slice(0, 1)).image;

/** The error for a folder without images. */
export const emptyFolder = (folder: string) =>
  new Error(`there is no image in the folder ${folder} of the input folder`);

const loadFolder = node({
  name: 'LoadImageSetFromFolderNode',
  displayName: 'Load Image Dataset from Folder',
  category: 'loaders',
  module: 'comfy_extras.nodes_train',
  experimental: true,
  description: 'Loads all images of a folder of the input folder, in the size of the first one.',
  inputs: { folder: folders(), resize_method: method() },
  outputs: [output('IMAGE')],
  fingerprint: async ({ folder }, { files }) => digestsOf(await imagesIn(files, String(folder)), files),
  async run({ folder, resize_method = 'None' }, context) {
    const names = await imagesIn(context.files, folder);
    if (names.length === 0) throw emptyFolder(folder);
    const images: Raster[] = [];
    for await (const image of loadImages(names, { method: resize_method }, context)) {
      images.push(image);
      await context.progress(images.length, names.length);
    }
    return [rasterToImage(concatBatches(images))];
  },
});

/**
 * Names of the images in a folder and its subfolders. Images of a subfolder called `3_name` count three times, a
 * convention of scripts that train adapters.
 */
export async function repeatedImagesIn(files: WorkflowFiles, folder: string): Promise<string[]> {
  const all: string[] = [...(await imagesIn(files, folder))];
  for (const inner of await inputFolders(files)) {
    if (inner.slice(0, inner.lastIndexOf('/')) !== folder || !inner.includes('/')) continue;
    const times = /^\d+(?=_|$)/.exec(inner.slice(folder.length + 1))?.[0] ?? '1';
    const names = await imagesIn(files, inner);
    if (names.length * Number(times) + all.length > MAX_IMAGES)
      throw new Error(`the folder ${inner} counts as more than ${MAX_IMAGES} images`);
    for (let time = 0; time < Number(times); time++) all.push(...names);
  }
  return all;
}

const MAX_IMAGES = 10_000;

/** The text file of an image's caption. */
export const captionFile = (image: string): string => `${image.slice(0, image.lastIndexOf('.'))}.txt`;

/** The text of an image's caption file. Empty without such a file. */
export async function captionOf(image: string, files: WorkflowFiles): Promise<string> {
  const found = await files.find(captionFile(image));
  return found ? new TextDecoder().decode(await files.read(found.path)).trim() : '';
}

const side = () =>
  optional(int({ default: -1, min: -1, max: 10000, step: 1, tooltip: '-1: the size of the first image.' }));

const loadFolderWithTexts = node({
  name: 'LoadImageTextSetFromFolderNode',
  displayName: 'Load Image and Text Dataset from Folder',
  category: 'loaders',
  module: 'comfy_extras.nodes_train',
  experimental: true,
  description:
    'Loads all images of a folder of the input folder, and a prompt for each from the text file of the same name.',
  inputs: { folder: folders(), clip: link('CLIP'), resize_method: method(), width: side(), height: side() },
  outputs: [output('IMAGE'), output('CONDITIONING')],
  async fingerprint({ folder }, { files }) {
    const names = await repeatedImagesIn(files, String(folder));
    return digestsOf([...names, ...names.map(captionFile)], files);
  },
  async run({ folder, clip, resize_method = 'None', width = -1, height = -1 }, context) {
    const names = await repeatedImagesIn(context.files, folder);
    if (names.length === 0) throw emptyFolder(folder);
    const size = { ...(width > 0 && { width }), ...(height > 0 && { height }) };
    const images: Raster[] = [];
    const prompts: Conditioning = [];
    for await (const image of loadImages(names, { method: resize_method, ...size }, context)) {
      const caption = await captionOf(names[images.length]!, context.files);
      prompts.push(...(await encodePrompts(clip, caption, context.signal)));
      images.push(image);
      await context.progress(images.length, names.length);
    }
    return [rasterToImage(concatBatches(images)), prompts];
  },
});

export const imageFolderNodes: AnyNode[] = [loadFolder, loadFolderWithTexts];
