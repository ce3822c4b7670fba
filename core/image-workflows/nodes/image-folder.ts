/** The pictures of a folder as one batch. */
import type { WorkflowFiles } from '../files/workflow-files.ts';
import { decodeImage } from '../images/codecs/decode.ts';
import { ImageUnreadable } from '../images/codecs/pixels.ts';
import { imageAndMask } from '../images/from-pixels.ts';
import { crop, paste } from '../images/operations/geometry.ts';
import { paced } from '../images/paced.ts';
import { concatBatches, emptyRaster, type Raster, rasterToImage } from '../images/rasters.ts';
import { resizeSteps } from '../images/resize/resize.ts';
import { choice, optional } from './inputs.ts';
import { type AnyNode, node, output } from './node-type.ts';

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

const loadFolder = node({
  name: 'LoadImageSetFromFolderNode',
  displayName: 'Load Image Dataset from Folder',
  category: 'loaders',
  module: 'comfy_extras.nodes_train',
  experimental: true,
  description: 'All pictures of a folder of the input folder, in the size of the first one.',
  inputs: {
    folder: choice(inputFolders, {}),
    resize_method: optional(choice(['None', 'Stretch', 'Crop', 'Pad'], { default: 'None' })),
  },
  outputs: [output('IMAGE')],
  async fingerprint({ folder }, { files }) {
    const digests: string[] = [];
    for (const name of await picturesIn(files, String(folder))) {
      const place = await files.find(name);
      if (place) digests.push(`${name} ${await files.digest(place.path)}`);
    }
    return digests.join('\n');
  },
  async run({ folder, resize_method = 'None' }, { files, host, signal, progress }) {
    const names = await picturesIn(files, folder);
    if (names.length === 0)
      throw new Error(`there is no picture in the folder ${folder} of the input folder`);
    const made: Raster[] = [];
    for (const [index, name] of names.entries()) {
      const picture = await read(name);
      const { width, height } = made[0] ?? picture;
      const fits = picture.width === width && picture.height === height;
      if (fits) made.push(picture);
      else if (resize_method === 'None')
        throw new Error(
          `${name} has ${picture.width} x ${picture.height} pixels, the first picture ${width} x ${height}: choose a resize method`,
        );
      else if (resize_method === 'Crop') made.push(cornerOf(picture, width, height));
      // There, too, Pad stretches.
      else made.push(await paced(resizeSteps(picture, width, height, 'lanczos'), signal));
      await progress(index + 1, names.length);
    }
    return [rasterToImage(concatBatches(made))];

    async function read(name: string): Promise<Raster> {
      const place = await files.find(name);
      if (!place) throw new Error(`Invalid image file: ${name}`);
      try {
        const { frames } = await decodeImage(await files.read(place.path), host.imageCodecs);
        return imageAndMask(frames.slice(0, 1)).image;
      } catch (error) {
        if (!(error instanceof ImageUnreadable)) throw error;
        throw new ImageUnreadable(`cannot identify image file '${name}': ${error.message}`, { cause: error });
      }
    }
  },
});

export const imageFolderNodes: AnyNode[] = [loadFolder];
