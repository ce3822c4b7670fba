/** The pictures of a folder as one batch, alone or with what is written about them. */
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

const PICTURE = /\.(png|jpe?g|webp)$/i;

/** Folders of the input folder, however deep. */
async function inputFolders(files: WorkflowFiles): Promise<string[]> {
  const folders = new Set<string>();
  for (const name of await files.names('input', true)) {
    const parts = name.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth++) folders.add(parts.slice(0, depth).join('/'));
  }
  return [...folders].sort();
}

/** Pictures that stand directly in a folder, by their names there. */
const picturesIn = async (files: WorkflowFiles, folder: string): Promise<string[]> =>
  (await files.names('input', true)).filter(
    (name) => PICTURE.test(name) && name.slice(0, name.lastIndexOf('/')) === folder,
  );

/** From the corner at the top left; what lies beyond the picture is black. */
function cornerOf(raster: Raster, width: number, height: number): Raster {
  const made = emptyRaster(raster.batch, height, width, raster.channels);
  paste(made, crop(raster, 0, 0, width, height), 0, 0);
  return made;
}

type Method = 'None' | 'Stretch' | 'Crop' | 'Pad';
type Place = Pick<NodeContext, 'files' | 'host' | 'signal'>;

const folders = () => choice(inputFolders, {});
const method = () => optional(choice(['None', 'Stretch', 'Crop', 'Pad'], { default: 'None' }));

async function digestsOf(names: readonly string[], files: WorkflowFiles): Promise<string> {
  const digests: string[] = [];
  for (const name of names) {
    const place = await files.find(name);
    if (place) digests.push(`${name} ${await files.digest(place.path)}`);
  }
  return digests.join('\n');
}

/** In the size of the first, or the one given. Throws for others where they are not to be resized. */
async function* pictures(
  names: readonly string[],
  resize: { method: Method; width?: number; height?: number },
  place: Place,
): AsyncGenerator<Raster> {
  let { width, height } = resize;
  for (const name of names) {
    const picture = await read(name, place);
    width ??= picture.width;
    height ??= picture.height;
    const fits = picture.width === width && picture.height === height;
    if (fits) yield picture;
    else if (resize.method === 'None')
      throw new Error(
        `${name} has ${picture.width} x ${picture.height} pixels, and ${width} x ${height} are wanted: choose a resize method`,
      );
    else if (resize.method === 'Crop') yield cornerOf(picture, width, height);
    // There, too, Pad stretches.
    else yield await runYielding(resizeSteps(picture, width, height, 'lanczos'), place.signal);
  }
}

const read = async (name: string, place: Place): Promise<Raster> =>
  imageAndMask((await readFrames(name, place)).slice(0, 1)).image;

const noPicture = (folder: string) =>
  new Error(`there is no picture in the folder ${folder} of the input folder`);

const loadFolder = node({
  name: 'LoadImageSetFromFolderNode',
  displayName: 'Load Image Dataset from Folder',
  category: 'loaders',
  module: 'comfy_extras.nodes_train',
  experimental: true,
  description: 'All pictures of a folder of the input folder, in the size of the first one.',
  inputs: { folder: folders(), resize_method: method() },
  outputs: [output('IMAGE')],
  fingerprint: async ({ folder }, { files }) => digestsOf(await picturesIn(files, String(folder)), files),
  async run({ folder, resize_method = 'None' }, context) {
    const names = await picturesIn(context.files, folder);
    if (names.length === 0) throw noPicture(folder);
    const made: Raster[] = [];
    for await (const picture of pictures(names, { method: resize_method }, context)) {
      made.push(picture);
      await context.progress(made.length, names.length);
    }
    return [rasterToImage(concatBatches(made))];
  },
});

/**
 * Of the folder and the folders in it: one whose name begins with a number and a line below has its pictures so many times, as
 * scripts that train adapters read them.
 */
async function repeatedPicturesIn(files: WorkflowFiles, folder: string): Promise<string[]> {
  const all: string[] = [...(await picturesIn(files, folder))];
  for (const inner of await inputFolders(files)) {
    if (inner.slice(0, inner.lastIndexOf('/')) !== folder || !inner.includes('/')) continue;
    const times = /^\d+(?=_|$)/.exec(inner.slice(folder.length + 1))?.[0] ?? '1';
    const names = await picturesIn(files, inner);
    if (names.length * Number(times) + all.length > MOST_PICTURES)
      throw new Error(`the folder ${inner} stands for more than ${MOST_PICTURES} pictures`);
    for (let time = 0; time < Number(times); time++) all.push(...names);
  }
  return all;
}

const MOST_PICTURES = 10_000;

const textOf = (picture: string): string => `${picture.slice(0, picture.lastIndexOf('.'))}.txt`;

/** Empty where there is none. */
async function captionOf(picture: string, files: WorkflowFiles): Promise<string> {
  const place = await files.find(textOf(picture));
  return place ? new TextDecoder().decode(await files.read(place.path)).trim() : '';
}

const side = () => optional(int({ default: -1, min: -1, max: 10000, step: 1, tooltip: '-1: as it is.' }));

const loadFolderWithTexts = node({
  name: 'LoadImageTextSetFromFolderNode',
  displayName: 'Load Image and Text Dataset from Folder',
  category: 'loaders',
  module: 'comfy_extras.nodes_train',
  experimental: true,
  description:
    'All pictures of a folder of the input folder, and a prompt for each: what the text file of its name says.',
  inputs: { folder: folders(), clip: link('CLIP'), resize_method: method(), width: side(), height: side() },
  outputs: [output('IMAGE'), output('CONDITIONING')],
  async fingerprint({ folder }, { files }) {
    const names = await repeatedPicturesIn(files, String(folder));
    return digestsOf([...names, ...names.map(textOf)], files);
  },
  async run({ folder, clip, resize_method = 'None', width = -1, height = -1 }, context) {
    const names = await repeatedPicturesIn(context.files, folder);
    if (names.length === 0) throw noPicture(folder);
    const size = { ...(width > 0 && { width }), ...(height > 0 && { height }) };
    const made: Raster[] = [];
    const prompts: Conditioning = [];
    for await (const picture of pictures(names, { method: resize_method, ...size }, context)) {
      const caption = await captionOf(names[made.length]!, context.files);
      prompts.push(...(await encodePrompts(clip, caption, context.signal)));
      made.push(picture);
      await context.progress(made.length, names.length);
    }
    return [rasterToImage(concatBatches(made)), prompts];
  },
});

export const imageFolderNodes: AnyNode[] = [loadFolder, loadFolderWithTexts];
