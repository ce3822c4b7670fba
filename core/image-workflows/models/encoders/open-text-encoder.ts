/** Opens the text encoders of a model by the configurations and tokenizer files next to their graphs. */
import { clipTokenizer } from '../../text/clip-tokenizer.ts';
import { sentencePieceTokenizer } from '../../text/sentence-piece-tokenizer.ts';
import type { EncoderName } from '../../values/adapter.ts';
import type { JsonConfig } from '../../values/model-graph.ts';
import { type ImageModelFolder, numberOr } from '../model-files/image-model-folder.ts';
import type { TextEncoderModel } from './text-encoder-model.ts';

/** How a family of models uses a text encoder. */
export interface EncoderOptions {
  name: EncoderName;
  /** The layer whose output is used: -1 is the last. */
  layer: number;
  /** Earlier layers are used without the model's last norm. */
  rawLayers: boolean;
  /** The smallest number of tokens of a T5 prompt. */
  minTokens: number;
}

/** Recognizes an encoder by its configuration: T5, or CLIP in one of two sizes. */
export async function encoderKind(encoder: ImageModelFolder): Promise<EncoderName> {
  const config = (await encoder.readJson('config.json')) ?? {};
  if (/t5/i.test(String(config.model_type ?? config.architectures))) return 't5xxl';
  return numberOr(config.hidden_size, 768) >= 1280 ? 'g' : 'l';
}

/** Rejects when the model has no tokenizer for the encoder. */
export async function openTextEncoder(
  encoder: ImageModelFolder,
  tokenizerFolder: ImageModelFolder,
  options: EncoderOptions,
): Promise<TextEncoderModel> {
  const config = (await tokenizerFolder.readJson('tokenizer_config.json')) ?? {};
  return options.name === 't5xxl'
    ? openT5(encoder, tokenizerFolder, config, options)
    : openClip(encoder, tokenizerFolder, config, options);
}

async function openT5(
  encoder: ImageModelFolder,
  tokenizerFolder: ImageModelFolder,
  config: JsonConfig,
  { name, minTokens }: EncoderOptions,
): Promise<TextEncoderModel> {
  const table = await tokenizerFolder.readJson('tokenizer.json');
  if (!table) throw new Error(`the model has no ${tokenizerFolder.path}/tokenizer.json`);
  return {
    name,
    graph: encoder.graph,
    tokenizer: sentencePieceTokenizer(table, config),
    tokenizerFolder: tokenizerFolder.path,
    length: minTokens,
    isChunked: false,
    layer: -1,
    rawLayers: true,
  };
}

async function openClip(
  encoder: ImageModelFolder,
  tokenizerFolder: ImageModelFolder,
  config: JsonConfig,
  { name, layer, rawLayers }: EncoderOptions,
): Promise<TextEncoderModel> {
  const vocab = (await tokenizerFolder.readJson('vocab.json')) as Record<string, number> | undefined;
  const merges = await tokenizerFolder.text('merges.txt');
  if (!vocab || merges === undefined)
    throw new Error(`the model has no ${tokenizerFolder.path}/vocab.json and merges.txt`);
  const tokenizer = clipTokenizer({ vocab, merges });
  const length = Number(config.model_max_length);
  return {
    name,
    graph: encoder.graph,
    tokenizer: { ...tokenizer, pad: vocab[padToken(config) ?? ''] ?? tokenizer.end },
    tokenizerFolder: tokenizerFolder.path,
    // Some configurations hold a huge number that stands for no limit.
    length: length > 2 && length <= 1024 ? length : 77,
    isChunked: true,
    layer,
    rawLayers,
  };
}

function padToken({ pad_token: pad }: JsonConfig): string | undefined {
  return (typeof pad === 'object' ? (pad as { content?: string } | null)?.content : pad) as
    | string
    | undefined;
}
