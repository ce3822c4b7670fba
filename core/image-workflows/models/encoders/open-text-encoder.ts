/** The text encoders of a model, by the files that lie beside their graphs. */

import { clipTokenizer } from '../../text/clip-tokenizer.ts';
import { sentencePieceTokenizer } from '../../text/sentence-piece-tokenizer.ts';
import type { JsonObject } from '../../values/model-graph.ts';
import { type ModelFolder, numberOr } from '../model-files/model-folder.ts';
import type { TextEncoder } from './text-encoder.ts';

/** As nodes with a text for each encoder call them. */
export type EncoderName = 'l' | 'g' | 't5xxl';

/** How a family of models reads them. */
export interface EncoderOptions {
  name: EncoderName;
  /** Which layer is read, -1 the last. */
  layer: number;
  /** Earlier layers are read as they are. */
  rawLayers: boolean;
  /** Tokens that a prompt of T5 has at least. */
  leastTokens: number;
}

/** What a graph with its configuration is: T5, or CLIP in one of two sizes. */
export async function encoderKind(encoder: ModelFolder): Promise<EncoderName> {
  const config = (await encoder.json('config.json')) ?? {};
  if (/t5/i.test(String(config.model_type ?? config.architectures))) return 't5xxl';
  return numberOr(config.hidden_size, 768) >= 1280 ? 'g' : 'l';
}

/** Throws where the model has no tokenizer for it. */
export async function openTextEncoder(
  encoder: ModelFolder,
  tokenizerFolder: ModelFolder,
  { name, layer, rawLayers, leastTokens }: EncoderOptions,
): Promise<TextEncoder> {
  const config = (await tokenizerFolder.json('tokenizer_config.json')) ?? {};
  if (name === 't5xxl') {
    const table = await tokenizerFolder.json('tokenizer.json');
    if (!table) throw new Error(`the model has no ${tokenizerFolder.path}/tokenizer.json`);
    const tokenizer = sentencePieceTokenizer(table, config);
    return {
      name,
      graph: encoder.graph,
      tokenizer,
      tokenizerFolder: tokenizerFolder.path,
      length: leastTokens,
      isChunked: false,
      layer: -1,
      rawLayers: true,
    };
  }
  const vocab = (await tokenizerFolder.json('vocab.json')) as Record<string, number> | undefined;
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
    length: length > 2 && length <= 1024 ? length : 77,
    isChunked: true,
    layer,
    rawLayers,
  };
}

function padToken({ pad_token: pad }: JsonObject): string | undefined {
  return (typeof pad === 'object' ? (pad as { content?: string } | null)?.content : pad) as
    | string
    | undefined;
}
