/** The text encoders inside of checkpoint files. Where they lie and how they are read is in `text-encoders.json`. */
import { type ClipVocabulary, clipTokenizer } from '../../text/clip-tokenizer.ts';
import type { EncoderName } from '../../values/adapter.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { TextEncoderModel } from '../encoders/text-encoder-model.ts';
import { type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';
import { clipTextGraph } from './clip-text-graph.ts';
import { openClipText } from './open-clip-names.ts';
import encoders from './text-encoders.json' with { type: 'json' };

export interface CheckpointEncoder {
  readonly name: EncoderName;
  /** The beginnings of the tensors' names. The first one that occurs counts. */
  readonly prefixes: readonly string[];
  readonly layout: 'transformers' | 'openclip';
  readonly activation: 'quick_gelu' | 'gelu';
  /** The layer whose output is used: -1 is the last. */
  readonly layer: number;
  readonly rawLayers: boolean;
  /** The token after the end of a prompt. */
  readonly pad: 'end' | 'zero';
}

export const checkpointEncoder = (key: string): CheckpointEncoder =>
  (encoders as Record<string, CheckpointEncoder>)[key]!;

/** The weights of an encoder by their names in transformers. Empty when the file has none. */
export function encoderWeights(table: WeightTable, { prefixes, layout }: CheckpointEncoder): WeightTable {
  for (const prefix of prefixes) {
    const found = withoutPrefix(table, prefix);
    if (found.size === 0) continue;
    if (layout === 'openclip') return openClipText(found);
    return new Map([...found].map(([name, tensor]) => [`text_model.${name}`, tensor]));
  }
  return new Map();
}

export const encoderGraph = (
  weights: WeightTable,
  { activation }: CheckpointEncoder,
): Uint8Array<ArrayBuffer> => clipTextGraph(weights, { activation });

/** Tokens per chunk of CLIP. */
const CHUNK = 77;

export function clipEncoderModel(
  { name, layer, rawLayers, pad }: CheckpointEncoder,
  graph: ModelGraph,
  vocabulary: ClipVocabulary,
): TextEncoderModel {
  const tokenizer = clipTokenizer(vocabulary);
  return {
    name,
    graph,
    tokenizer: { ...tokenizer, pad: pad === 'end' ? tokenizer.end : 0 },
    length: CHUNK,
    isChunked: true,
    layer,
    rawLayers,
  };
}
