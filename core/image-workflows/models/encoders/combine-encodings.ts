/** Combines the embeddings of several text encoders into those that a network takes. */
import type { EncoderName } from '../../values/adapter.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';

/** The result of one text encoder. */
export interface TextEncoding {
  /** [1, tokens, width], or by all layers [1, layers, tokens, width] */
  tensor: FloatTensor;
  /** [1, width] */
  pooled?: FloatTensor;
  /** 1 for tokens that the network may see and 0 for others, [1, tokens]. Undefined: it sees all. */
  attentionMask?: FloatTensor;
  /** The prompt by each layer of a language model, [1, layers, tokens, width]. */
  languageLayers?: FloatTensor;
  /** The prompt by another encoder, for networks that take both apart. */
  secondText?: { readonly tensor: FloatTensor; readonly attentionMask?: FloatTensor };
  /** The tokens of lyrics, [1, tokens]. */
  lyrics?: FloatTensor;
  /** The embeddings of the tokens of lyrics, [1, tokens, width]. */
  lyricStates?: FloatTensor;
  /** The quoted parts of the prompt by an encoder of letters, [1, tokens, width]. */
  glyphs?: FloatTensor;
  /** All elements are zeros, and the encoder counts as missing. */
  isSilent?: true;
}

/**
 * How the encodings of several text encoders become one.
 * - `concat` (SD, SDXL, models with one encoder): the embeddings are concatenated along their width. The pooled
 *   embedding is the last encoder's.
 * - `sd3`: CLIP's embeddings are concatenated along their width and padded to T5's width. T5's tokens follow them.
 *   The pooled embeddings are concatenated.
 * - `flux` (Flux, Hunyuan Video): the embeddings of T5 or of Llama, and CLIP's pooled embedding.
 * - `hidream`: T5's embeddings, the pooled embeddings of both CLIPs next to each other, and all layers of Llama.
 * - `hunyuan`: the embeddings of Qwen and, apart from them, those of ByT5.
 * - `hunyuan_dit`: the embeddings of BERT and, apart from them, those of mT5.
 */
export type Combination = 'concat' | 'sd3' | 'flux' | 'hidream' | 'hunyuan' | 'hunyuan_dit';

export const silence = ({ tensor, pooled, ...rest }: TextEncoding): TextEncoding => ({
  ...rest,
  tensor: zeros(tensor.shape),
  ...(pooled && { pooled: zeros(pooled.shape) }),
  isSilent: true,
});

/** @param width the width of the `sd3` combination when T5 is missing. */
export function combineEncodings(
  encodings: ReadonlyMap<EncoderName, TextEncoding>,
  combination: Combination,
  width = 4096,
): TextEncoding {
  const all = [...encodings.values()];
  const t5 = encodings.get('t5xxl');
  const language = t5 ?? encodings.get('llama');
  const clips = all.filter((encoding) => encoding !== language);
  switch (combination) {
    case 'concat':
      return {
        ...withPooled(concatWidths(all.map(({ tensor }) => tensor)), all.at(-1)?.pooled),
        ...(all.length === 1 && all[0]!.attentionMask && { attentionMask: all[0]!.attentionMask }),
        ...(all.length === 1 && all[0]!.lyrics && { lyrics: all[0]!.lyrics }),
        ...(all.length === 1 && all[0]!.lyricStates && { lyricStates: all[0]!.lyricStates }),
      };
    case 'flux':
      return withPooled((language ?? clips[0]!).tensor, clips[0]?.pooled);
    case 'hunyuan':
      return withGlyphs(encodings);
    case 'hunyuan_dit':
      return withSecond(encodings.get('hydit_clip') ?? all[0]!, encodings.get('mt5xl'));
    case 'hidream':
      return combineHiDream(encodings);
    case 'sd3':
      return combineSd3(withMissingClips(encodings), t5, t5?.tensor.shape[2] ?? width);
  }
}

/** The CLIP encoders of Stable Diffusion 3 and HiDream, and their widths. */
const CLIPS = [
  ['l', 768],
  ['g', 1280],
] as const;

/** Zeros stand for the encoders that a model came without. */
function withMissingClips(encodings: ReadonlyMap<EncoderName, TextEncoding>): TextEncoding[] {
  const present = CLIPS.flatMap(([name]) => encodings.get(name) ?? []);
  const tokens = present[0]?.tensor.shape[1] ?? 77;
  return CLIPS.map(
    ([name, width]): TextEncoding =>
      encodings.get(name) ?? {
        tensor: zeros([1, tokens, width]),
        pooled: zeros([1, width]),
        isSilent: true,
      },
  );
}

function combineSd3(
  clips: readonly TextEncoding[],
  t5: TextEncoding | undefined,
  width: number,
): TextEncoding {
  const hasClip = clips.some(({ isSilent }) => !isSilent);
  const parts = [
    ...(hasClip ? [padWidth(concatWidths(clips.map(({ tensor }) => tensor)), width)] : []),
    ...(t5 && !t5.isSilent ? [t5.tensor] : []),
  ];
  const pooled = clips.flatMap((clip) => (clip.pooled ? [asToken(clip.pooled)] : []));
  return withPooled(
    parts.length > 0 ? concatTokens(parts) : zeros([1, 77, width]),
    pooled.length > 0 ? asVector(concatWidths(pooled)) : undefined,
  );
}

/** @throws Error when the file with Qwen is missing */
function withGlyphs(encodings: ReadonlyMap<EncoderName, TextEncoding>): TextEncoding {
  const glyphs = encodings.get('byt5_small');
  const text = [...encodings.values()].find((encoding) => encoding !== glyphs);
  if (!text)
    throw new Error(
      'this model has ByT5 alone, which reads nothing but quotes: load Qwen 2.5 VL 7B with it in DualCLIPLoader',
    );
  return { ...text, ...(glyphs && !glyphs.isSilent && { glyphs: glyphs.tensor }) };
}

/** @param second undefined: a checkpoint without mT5. The network names it when it is missing. */
const withSecond = (first: TextEncoding, second: TextEncoding | undefined): TextEncoding => ({
  ...first,
  ...(second && { secondText: second }),
});

/** The sides that the encodings have for HiDream when an encoder is missing. */
const MISSING_T5 = [1, 128, 4096];
const MISSING_LAYERS = [1, 32, 1, 4096];

/** Zeros stand for missing encoders. The embeddings before Llama's first layer are no layer of their own. */
function combineHiDream(encodings: ReadonlyMap<EncoderName, TextEncoding>): TextEncoding {
  const pooled = withMissingClips(encodings).flatMap((clip) => (clip.pooled ? [asToken(clip.pooled)] : []));
  const all = encodings.get('llama')?.tensor;
  return {
    tensor: encodings.get('t5xxl')?.tensor ?? zeros(MISSING_T5),
    pooled: asVector(concatWidths(pooled)),
    languageLayers: all ? withoutFirstLayer(all) : zeros(MISSING_LAYERS),
  };
}

function withoutFirstLayer({ shape, data }: FloatTensor): FloatTensor {
  const [batch = 1, layers = 1, ...sides] = shape;
  return { shape: [batch, layers - 1, ...sides], data: data.subarray(data.length / layers) };
}

const withPooled = (tensor: FloatTensor, pooled: FloatTensor | undefined): TextEncoding => ({
  tensor,
  ...(pooled && { pooled }),
});

const asToken = ({ shape, data }: FloatTensor): FloatTensor => ({ shape: [1, 1, shape[1]!], data });
const asVector = ({ shape, data }: FloatTensor): FloatTensor => ({ shape: [1, shape[2]!], data });

/** [1, tokens, a] and [1, tokens, b] to [1, tokens, a + b], for as many tokens as the shortest has. */
export function concatWidths(tensors: readonly FloatTensor[]): FloatTensor {
  if (tensors.length === 1) return tensors[0]!;
  const tokens = Math.min(...tensors.map(({ shape }) => shape[1]!));
  const width = tensors.reduce((sum, { shape }) => sum + shape[2]!, 0);
  const result = zeros([1, tokens, width]);
  let column = 0;
  for (const { shape, data } of tensors) {
    const ownWidth = shape[2]!;
    for (let token = 0; token < tokens; token++)
      result.data.set(data.subarray(token * ownWidth, (token + 1) * ownWidth), token * width + column);
    column += ownWidth;
  }
  return result;
}

/** Pads with zeros. */
function padWidth(tensor: FloatTensor, width: number): FloatTensor {
  const [, tokens = 0, ownWidth = 0] = tensor.shape;
  if (ownWidth >= width) return tensor;
  return concatWidths([tensor, zeros([1, tokens, width - ownWidth])]);
}

/** [1, a, width] and [1, b, width] to [1, a + b, width]. Throws for different widths. */
function concatTokens(tensors: readonly FloatTensor[]): FloatTensor {
  if (tensors.length === 1) return tensors[0]!;
  const width = tensors[0]!.shape[2]!;
  if (tensors.some(({ shape }) => shape[2] !== width))
    throw new Error(
      `these text encoders do not belong together: their embeddings are ${tensors.map(({ shape }) => shape[2]).join(' and ')} wide`,
    );
  const result = zeros([1, tensors.reduce((sum, { shape }) => sum + shape[1]!, 0), width]);
  let at = 0;
  for (const { data } of tensors) {
    result.data.set(data, at);
    at += data.length;
  }
  return result;
}
