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
import { languageUse } from '../families/text-encoders/language-encoder.ts';
import { recognizeTextEncoder } from '../families/text-encoders/recognize-text-encoder.ts';
import { ImageModelFolder } from '../model-files/image-model-folder.ts';
import { isWeightFile, modelNames } from '../model-files/model-names.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import families from './encoder-families.json' with { type: 'json' };
import { encoderOptions } from './open-checkpoint.ts';
import { type EncoderUses, openTextEncoderFile } from './open-text-encoder-file.ts';
import alone from './single-encoders.json' with { type: 'json' };

const ENCODERS = 'models/text_encoders';
const ENCODER_FOLDERS = ['text_encoder', 'text_encoder_2', 'text_encoder_3'] as const;

export const encoderNames = (files: WorkflowFiles): Promise<string[]> =>
  modelNames(files, 'text_encoders', [
    ...ENCODER_FOLDERS.map((folder) => `${folder}/model.onnx`),
    'model.onnx',
  ]);

interface EncoderFamily {
  /** The kind of network that takes encoders in folders. */
  kind: NetworkKind;
  combination: Combination;
  /** For encoders in files of weights. */
  uses: EncoderUses;
  /** Its encoders come one by one: any other encoder that is loaded alone is used as its own models use it. */
  isSingle?: boolean;
}

/** The supported families of text encoders, by the names of the loader nodes. */
const FAMILIES = families as Readonly<Record<string, EncoderFamily>>;
/** The usual uses of encoders, by their kinds. */
const ALONE: EncoderUses = alone;
const ORDER: readonly EncoderName[] = ['l', 'g', 't5xxl', 'llama'];

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
  const { combination, isSingle } = supported;
  const uses = isSingle ? { ...ALONE, ...supported.uses } : supported.uses;
  const encoders: TextEncoderModel[] = [];
  for (const name of names) {
    const path: FilePath = `${ENCODERS}/${name}`;
    const present = encoders.map((encoder) => encoder.name);
    if (!(await isWeightFile(host, path))) {
      encoders.push(await openEncoderFolder(new ImageModelFolder(host, path), supported, present));
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

/**
 * The first text encoder of a kind (`text-encoder-kinds.json`) among files of weights. Reads their tables only. Undefined:
 * there is none.
 */
export async function encodersOfKind(
  host: Host,
  names: readonly string[],
  kind: string,
): Promise<ClipModel | undefined> {
  for (const name of names) {
    const path: FilePath = `${ENCODERS}/${name}`;
    if (!(await isWeightFile(host, path))) continue;
    // A damaged file is reported where a graph names it.
    const file = await readWeightFile(host.files, path).catch(() => undefined);
    if (!file || recognizeTextEncoder(file.table)?.found.kind !== kind) continue;
    return loadEncoders(host, [name], 'stable_diffusion');
  }
  return undefined;
}

/** @param present the encoders that are open: the second of two CLIP encoders of the same size counts as the other kind */
async function openEncoderFolder(
  folder: ImageModelFolder,
  { kind, uses }: EncoderFamily,
  present: readonly EncoderName[],
): Promise<TextEncoderModel> {
  const graphFolder = (await folder.folderWithGraph(...ENCODER_FOLDERS, '')) ?? '';
  const encoder = folder.subfolder(graphFolder);
  const detected = await encoderKind(encoder);
  const isTaken = present.includes(detected);
  const name = isTaken && detected !== 't5xxl' ? (detected === 'l' ? 'g' : 'l') : detected;
  const options = encoderOptions(kind, name);
  const minTokens = languageUse(uses.t5xxl ?? '')?.minTokens ?? options.minTokens;
  return openTextEncoder(encoder, await tokenizerFolder(folder, graphFolder), { ...options, minTokens });
}

/** The first folder with a tokenizer. Without one, the model's folder. */
async function tokenizerFolder(folder: ImageModelFolder, graphFolder: string): Promise<ImageModelFolder> {
  for (const part of [graphFolder.replace('text_encoder', 'tokenizer'), 'tokenizer', '']) {
    const candidate = folder.subfolder(part);
    if ((await candidate.has('vocab.json')) || (await candidate.has('tokenizer.json'))) return candidate;
  }
  return folder;
}
