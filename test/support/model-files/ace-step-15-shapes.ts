/** The shapes of a small ACE-Step 1.5 with the parts of its published files, and a table of tokens. */
import { decoderShapes, type Shapes } from './weight-files.ts';

/** The width of the published encoder of descriptions and lyrics. */
const TEXT_WIDTH = 1024;
/** Tokens of the published language models: the codes of audio end there. */
const CODE_TOKENS = 215_669;

/** The network with the text width of published files. @param shapes in `test/diffusers/weight_files/audio` */
export const ace15Network = (shapes: Shapes): Shapes => ({
  ...shapes,
  ...Object.fromEntries(
    ['encoder.text_projector.weight', 'encoder.lyric_encoder.embed_tokens.weight'].map((name) => [
      name,
      [shapes[name]![0]!, TEXT_WIDTH],
    ]),
  ),
});

const decoder = { layers: 1, headWidth: 128, hasHeadNorms: true };

/** @param tokens of its table */
export const ace15TextEncoder = (tokens: number): Shapes =>
  decoderShapes({ ...decoder, width: TEXT_WIDTH, heads: 1, tokens });

export const ace15CodeWriter = (): Shapes =>
  decoderShapes({ ...decoder, layers: 2, width: 16, heads: 2, tokens: CODE_TOKENS });

const SPECIAL = ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<think>', '</think>', '\n'];

/** A `tokenizer.json` with a token for each letter. All ids are below 256. */
export const letterTable = {
  version: '1.0',
  added_tokens: SPECIAL.map((content, id) => ({
    ...{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false },
    special: true,
  })),
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: { type: 'Fuse' },
  model: {
    type: 'BPE',
    vocab: Object.fromEntries([
      ...SPECIAL.map((content, id) => [content, id] as const),
      ...Array.from({ length: 95 }, (_, at) => [String.fromCharCode(32 + at), 100 + at] as const),
    ]),
    merges: [],
    unk_token: '<|endoftext|>',
  },
};
