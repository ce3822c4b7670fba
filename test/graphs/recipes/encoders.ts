/** Text and vision encoders with few or narrow layers. */
import { clipShapes, decoderShapes, t5Shapes } from '#test/support/model-files/weight-files.ts';
import {
  firstLayers,
  narrowed,
  partOf,
  published,
  renamed,
  type Shapes,
  selected,
  withSides,
} from './shapes.ts';

/** The width of the language models that are no T5: networks that read their tokens take as much. */
export const LANGUAGE_WIDTH = 128;

/** Ids of the tokens of `recipes/tokenizers.ts` are smaller. */
const T5_TOKENS = 256;

/** Feed-forward layers of CLIP keep this width. */
const INNER = 64;

const narrowFeedForward = (shapes: Shapes): Shapes =>
  Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => {
      if (/mlp\.fc1\./.test(name)) return [name, shape.with(0, INNER)];
      return [name, /mlp\.fc2\.weight$/.test(name) ? shape.with(1, INNER) : shape];
    }),
  );

export const clipL = (): Shapes => narrowFeedForward(clipShapes(12, 768, 768));
export const clipG = (): Shapes => narrowFeedForward(clipShapes(32, 1280, 1280));
export const clipH = (): Shapes => narrowFeedForward(clipShapes(24, 1024, 1024));

/** The names of OpenCLIP for a text encoder in the names of transformers. */
export function openClipText(shapes: Shapes): Shapes {
  const joined = Object.entries(shapes).flatMap(([name, shape]): [string, readonly number[]][] => {
    if (/\.[kv]_proj\./.test(name)) return [];
    if (/\.q_proj\./.test(name))
      return [[name.replace(/q_proj\.(weight|bias)$/, 'in_proj_$1'), shape.with(0, 3 * shape[0]!)]];
    return [[name, shape]];
  });
  return renamed(Object.fromEntries(joined), (name) =>
    name
      .replace('text_model.embeddings.position_embedding.weight', 'positional_embedding')
      .replace('text_model.embeddings.token_embedding', 'token_embedding')
      .replace('text_model.final_layer_norm', 'ln_final')
      .replace('text_model.encoder.layers', 'transformer.resblocks')
      .replace('text_projection.weight', 'text_projection')
      .replace('self_attn.', 'attn.')
      .replace('layer_norm', 'ln_')
      .replace('mlp.fc1', 'mlp.c_fc')
      .replace('mlp.fc2', 'mlp.c_proj'),
  );
}

/** A T5 has heads of this width, and so many. */
function t5(width: number, layers: number, { isGated = true, isShared = true } = {}): Shapes {
  const inner = 64;
  const wide = t5Shapes({ layers, width, heads: 1, tokens: T5_TOKENS, isGated, isShared });
  return withSides(wide, { [2 * width]: inner, [3 * width]: inner });
}

export const t5xxl = (): Shapes => t5(4096, 24);
export const umt5xxl = (): Shapes => t5(4096, 24, { isShared: false });
export const oldT5xxl = (): Shapes => t5(1024, 24, { isGated: false });
export const t5base = (): Shapes => t5(768, 12, { isGated: false });
export const pileT5 = (): Shapes => t5(2048, 24);

/** The width of ByT5: networks that read quoted parts of prompts take as much. */
export const GLYPH_WIDTH = 96;

/** An encoder of letters, with the usual width of its attention. */
export const byt5 = (): Shapes =>
  withSides(t5Shapes({ layers: 2, width: GLYPH_WIDTH, heads: 6, tokens: 384 }), { [2 * GLYPH_WIDTH]: 384 });

const decoder = { layers: 2, width: LANGUAGE_WIDTH, heads: 4, headWidth: 128 };

/** Qwen 2.5 VL: with two layers of its vision encoder. */
export function qwen25(groups: 2 | 4): Shapes {
  const vision = selected(published('te_qwen25_7b'), (name) => name.startsWith('visual.'));
  return {
    ...decoderShapes({ ...decoder, groups, tokens: 152_064, hasBias: true }),
    ...withSides(narrowed(firstLayers(vision, 2, /visual\.blocks/), 1280, 256), { 3584: LANGUAGE_WIDTH }),
  };
}

/** Flux 2 reads its layer 27. */
export const qwen3 = (): Shapes =>
  decoderShapes({ ...decoder, layers: 28, groups: 2, tokens: 151_936, hasHeadNorms: true });
/** The width by which the encoder of Ovis-Image is recognized. */
export const OVIS_WIDTH = 2048;
export const qwen3Ovis = (): Shapes =>
  decoderShapes({
    ...{ layers: 1, width: OVIS_WIDTH, heads: 1, headWidth: 128 },
    ...{ tokens: 151_936, hasHeadNorms: true },
  });
export const gemma2 = (): Shapes =>
  decoderShapes({ ...decoder, headWidth: 256, groups: 2, tokens: T5_TOKENS, hasFourNorms: true });

export const llama3 = (): Shapes => decoderShapes({ ...decoder, groups: 2, tokens: 128_320 });

/** A vision encoder of CLIP with two layers. */
export const clipVision = (width: number, projected: number, layers = 2): Shapes =>
  withSides(firstLayers(published('clip_vision_vitl'), layers, /layers/), {
    768: projected,
    1024: width,
    4096: 4 * width,
  });

/** The width of the audio encoder. */
export const SPEECH_WIDTH = 128;

/** The width of SigLIP, and its tokens: images of 384 pixels in patches of 14. */
export const SIGLIP_WIDTH = 128;
export const SIGLIP_TOKENS = 27 ** 2;

/** SigLIP with as many layers as a style projector reads. */
export function siglip(): Shapes {
  const width = SIGLIP_WIDTH;
  const inner = partOf(clipVision(width, width, 20), 'vision_model.');
  const shapes = selected(inner, (name) => !/^(class_embedding|pre_layrnorm|embeddings\.class)/.test(name));
  return {
    ...renamed(shapes, (name) => `vision_model.${name}`),
    'vision_model.embeddings.patch_embedding.bias': [width],
    'vision_model.embeddings.position_embedding.weight': [SIGLIP_TOKENS, width],
    'vision_model.head.probe': [1, 1, width],
    'vision_model.head.attention.in_proj_weight': [3 * width, width],
    'vision_model.head.attention.in_proj_bias': [3 * width],
    'vision_model.head.attention.out_proj.weight': [width, width],
    'vision_model.head.attention.out_proj.bias': [width],
    'vision_model.head.layernorm.weight': [width],
    'vision_model.head.layernorm.bias': [width],
    'vision_model.head.mlp.fc1.weight': [INNER, width],
    'vision_model.head.mlp.fc1.bias': [INNER],
    'vision_model.head.mlp.fc2.weight': [width, INNER],
    'vision_model.head.mlp.fc2.bias': [width],
  };
}

/** The names of OpenCLIP for a vision encoder in those of transformers. */
export function openClipVision(shapes: Shapes): Shapes {
  const inner = openClipText(renamed(shapes, (name) => name.replace('vision_model.', 'text_model.')));
  const { 'visual_projection.weight': [outputs = 0, width = 0] = [], ...rest } = inner;
  return renamed({ ...rest, proj: [width, outputs] }, (name) =>
    name
      .replace('text_model.embeddings.class_embedding', 'class_embedding')
      .replace('text_model.embeddings.patch_embedding', 'conv1')
      .replace('positional_embedding.weight', 'positional_embedding')
      .replace('text_model.pre_layrnorm', 'ln_pre')
      .replace('text_model.post_layernorm', 'ln_post'),
  );
}
