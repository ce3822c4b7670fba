/** Loads the text encoders of a model from folders and files of their own. */
import type { FilePath, Host } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { EncoderName } from '../../values/adapter.ts';
import type { ClipModel } from '../../values/clip-model.ts';
import type { NetworkKind } from '../../values/network.ts';
import { clipModel } from '../encoders/clip-model.ts';
import type { Combination } from '../encoders/combine-encodings.ts';
import { embeddingFiles } from '../encoders/embedding-files.ts';
import { encoderKind, openTextEncoder } from '../encoders/open-text-encoder.ts';
import type { TextEncoderModel } from '../encoders/text-encoder-model.ts';
import { ImageModelFolder } from '../model-files/image-model-folder.ts';
import { isWeightFile, modelNames } from '../model-files/model-names.ts';
import { encoderOptions } from './open-checkpoint.ts';
import { type EncoderUses, openTextEncoderFile } from './open-text-encoder-file.ts';

const ENCODERS = 'models/text_encoders';
const ENCODER_FOLDERS = ['text_encoder', 'text_encoder_2', 'text_encoder_3'] as const;

export const encoderNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'text_encoders', [
    ...ENCODER_FOLDERS.map((folder) => `${folder}/model.onnx`),
    'model.onnx',
  ]);

interface EncoderFamily {
  kind: NetworkKind;
  combination: Combination;
  /** For encoders in files of weights. */
  uses: EncoderUses;
}

/** The supported families of text encoders, by the names of the loader nodes. */
const FAMILIES: Readonly<Record<string, EncoderFamily>> = {
  stable_diffusion: {
    kind: 'sd',
    combination: 'concat',
    uses: { 'clip-l': 'sd1-l', 'clip-h': 'sd2-h', 'clip-g': 'refiner-g' },
  },
  sdxl: { kind: 'sdxl', combination: 'concat', uses: { 'clip-l': 'sdxl-l', 'clip-g': 'sdxl-g' } },
  sd3: { kind: 'sd3', combination: 'sd3', uses: { 'clip-l': 'sd3-l', 'clip-g': 'sd3-g' } },
  flux: { kind: 'flux', combination: 'flux', uses: { 'clip-l': 'flux-l' } },
};
const ORDER = ['l', 'g', 't5xxl'] as const;

/**
 * Loads the text encoders of one model. Each is a file of weights, or a folder with `model.onnx`, its `config.json` and
 * the tokenizer's files, which may also lie in `tokenizer/`. Rejects for unsupported families, and for encoders that do
 * not fit the family or each other.
 */
export async function loadEncoders(host: Host, names: readonly string[], family: string): Promise<ClipModel> {
  const supported = FAMILIES[family];
  if (!supported)
    throw new Error(
      `text encoders of the kind ${family} are not supported: choose ${Object.keys(FAMILIES).join(', ')}`,
    );
  const { kind, combination, uses } = supported;
  const encoders: TextEncoderModel[] = [];
  for (const name of names) {
    const path: FilePath = `${ENCODERS}/${name}`;
    const present = encoders.map((encoder) => encoder.name);
    if (!(await isWeightFile(host, path))) {
      encoders.push(await openEncoderFolder(new ImageModelFolder(host, path), kind, present));
      continue;
    }
    const encoder = await openTextEncoderFile(host, path, family, uses);
    if (present.includes(encoder.name))
      throw new Error(`${name} is the second text encoder of its kind: ${family} takes different ones`);
    encoders.push(encoder);
  }
  encoders.sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));
  return clipModel({ encoders, combination, embeddings: embeddingFiles(host) });
}

/** @param present the encoders that are open: the second of two CLIP encoders of the same size counts as the other kind */
async function openEncoderFolder(
  folder: ImageModelFolder,
  kind: NetworkKind,
  present: readonly EncoderName[],
): Promise<TextEncoderModel> {
  const graphFolder = (await folder.folderWithGraph(...ENCODER_FOLDERS, '')) ?? '';
  const encoder = folder.subfolder(graphFolder);
  const detected = await encoderKind(encoder);
  const isTaken = present.includes(detected);
  const name = isTaken && detected !== 't5xxl' ? (detected === 'l' ? 'g' : 'l') : detected;
  return openTextEncoder(encoder, await tokenizerFolder(folder, graphFolder), encoderOptions(kind, name));
}

/** The first folder with a tokenizer. Without one, the model's folder. */
async function tokenizerFolder(folder: ImageModelFolder, graphFolder: string): Promise<ImageModelFolder> {
  for (const part of [graphFolder.replace('text_encoder', 'tokenizer'), 'tokenizer', '']) {
    const candidate = folder.subfolder(part);
    if ((await candidate.has('vocab.json')) || (await candidate.has('tokenizer.json'))) return candidate;
  }
  return folder;
}
