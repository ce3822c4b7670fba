/** The trained image models of this repository, and a graph for them. */
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Files } from '#core/host';

export const EMOJI = 'emoji-micro';
/** The name of the model that is published for users. */
export const EMOJI_128 = 'emoji-128';
export const folderOf = (model: string) =>
  fileURLToPath(new URL(`../../../models/emoji/${model}`, import.meta.url));
export const emojiFolder = folderOf(EMOJI);

/** The files of a model, by their paths in its folder. */
export async function emojiFiles(model = EMOJI): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const folder = folderOf(model);
  const found: Record<string, Uint8Array<ArrayBuffer>> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.slice(folder.length + 1)] = new Uint8Array(await readFile(path));
  }
  return found;
}

/** Copies the model to where a user stores models. */
export async function writeEmojiModel(files: Pick<Files, 'write'>, model = EMOJI): Promise<void> {
  for (const [path, bytes] of Object.entries(await emojiFiles(model)))
    await files.write(`models/checkpoints/${model}/${path}`, bytes);
}

/** Copies the model to where the server of this home finds it. */
export async function addEmojiModel(home: string, model = EMOJI): Promise<void> {
  await cp(folderOf(model), join(home, 'files', 'models', 'checkpoints', model), { recursive: true });
}

/** ComfyUI's default graph, with its ids, as its editor exports it. */
export function defaultGraph(
  options: {
    checkpoint?: string;
    seed?: number;
    steps?: number;
    size?: number;
    prefix?: string;
    text?: string;
  } = {},
) {
  const { checkpoint = EMOJI, seed = 1, steps = 3, size = 128, prefix = 'drawn', text = 'a cat' } = options;
  const node = (class_type: string, inputs: Record<string, unknown>) => ({
    class_type,
    inputs,
    _meta: { title: class_type },
  });
  return {
    '3': node('KSampler', {
      seed,
      steps,
      cfg: 3,
      sampler_name: 'euler',
      scheduler: 'normal',
      denoise: 1,
      model: ['4', 0],
      positive: ['6', 0],
      negative: ['7', 0],
      latent_image: ['5', 0],
    }),
    '4': node('CheckpointLoaderSimple', { ckpt_name: checkpoint }),
    '5': node('EmptyLatentImage', { width: size, height: size, batch_size: 1 }),
    '6': node('CLIPTextEncode', { text, clip: ['4', 1] }),
    '7': node('CLIPTextEncode', { text: '', clip: ['4', 1] }),
    '8': node('VAEDecode', { samples: ['3', 0], vae: ['4', 2] }),
    '9': node('SaveImage', { filename_prefix: prefix, images: ['8', 0] }),
  };
}
