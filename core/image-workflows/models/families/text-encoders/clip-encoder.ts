/** CLIP's text encoders as families of models use them. Where they lie and how they are read is in `text-encoders.json`. */
import { type ClipVocabulary, clipTokenizer } from '../../../text/clip-tokenizer.ts';
import type { ModelGraph } from '../../../values/model-graph.ts';
import type { TextEncoderModel } from '../../encoders/text-encoder-model.ts';
import { type WeightTable, withoutPrefix } from '../../weight-files/weight-table.ts';
import { clipTextGraph } from './clip-text-graph.ts';
import { type ClipKind, textEncoderKind } from './recognize-text-encoder.ts';
import { textEncoderWeights } from './text-encoder-weights.ts';
import uses from './text-encoders.json' with { type: 'json' };

export interface ClipUse {
  readonly kind: string;
  /** The beginnings of the tensors' names in checkpoints. The first one that occurs counts. */
  readonly prefixes?: readonly string[];
  /** Checkpoints have the encoder in OpenCLIP's layout. */
  readonly isOpenClip?: boolean;
  /** The layer of the complete network whose output is used: -1 is the last. */
  readonly layer: number;
  readonly rawLayers: boolean;
  /** The pooled output is taken before the projection, even when the file has one. */
  readonly isUnprojected?: boolean;
  /** The output of the last layer is used without the norm that follows it. */
  readonly isUnnormed?: boolean;
  readonly masking?: TextEncoderModel['masking'];
  /** The token that fills chunks. Default: that of the kind. */
  readonly padding?: ClipKind['pad'];
}

/** @param key as in `text-encoders.json` */
export const clipUse = (key: string): ClipUse => (uses as Record<string, ClipUse>)[key]!;

/** All uses, in no order. */
export const clipUses = (): ClipUse[] => Object.values(uses) as ClipUse[];

/** The weights of an encoder in a checkpoint by their names in transformers. Empty when the file has none. */
export function checkpointEncoderWeights(table: WeightTable, { prefixes = [] }: ClipUse): WeightTable {
  const found = prefixes.map((prefix) => withoutPrefix(table, prefix)).find(({ size }) => size > 0);
  return found ? textEncoderWeights(found) : new Map();
}

/** Tokens per chunk of CLIP. */
const CHUNK = 77;

/** The kind of CLIP that is used. */
export const clipKind = ({ kind }: ClipUse): ClipKind => textEncoderKind(kind).clip!;

/**
 * The ONNX model of an encoder.
 * @param weights by their names in transformers
 * @throws ModelUnsupported when weights are missing
 */
export function clipEncoderGraph(weights: WeightTable, use: ClipUse): Uint8Array<ArrayBuffer> {
  const { activation } = clipKind(use);
  const used = use.isUnprojected
    ? new Map([...weights].filter(([name]) => !name.startsWith('text_projection.')))
    : weights;
  return clipTextGraph(used, { activation, ...(use.isUnnormed && { isUnnormed: true }) });
}

/** The number of the first layer that prompts need and the file lacks. Undefined: it has all. */
export function missingLayer(weights: WeightTable, use: ClipUse): number | undefined {
  const needed = clipKind(use).layers + use.layer + 1;
  return Array.from({ length: needed }, (_, layer) => layer).find((layer) => !hasLayer(weights, layer));
}

const hasLayer = (weights: WeightTable, layer: number): boolean =>
  weights.has(`text_model.encoder.layers.${layer}.mlp.fc1.weight`);

/** An encoder as prompts use it. @param weights by their names in transformers */
export function clipEncoderModel(
  use: ClipUse,
  weights: WeightTable,
  graph: ModelGraph,
  vocabulary: ClipVocabulary,
): TextEncoderModel {
  const { name, layers, pad: usualPad } = clipKind(use);
  const { masking, padding: pad = usualPad } = use;
  const tokenizer = clipTokenizer(vocabulary);
  // Some files lack the layers after the last that is used.
  let present = layers;
  while (present > 0 && !hasLayer(weights, present - 1)) present--;
  const [positions = CHUNK] = weights.get('text_model.embeddings.position_embedding.weight')?.shape ?? [];
  return {
    name,
    graph,
    tokenizer: { ...tokenizer, pad: pad === 'end' ? tokenizer.end : 0 },
    length: Math.max(positions, CHUNK),
    isChunked: true,
    layer: Math.min(-1, use.layer + layers - present),
    rawLayers: use.rawLayers,
    ...(masking && { masking }),
  };
}
