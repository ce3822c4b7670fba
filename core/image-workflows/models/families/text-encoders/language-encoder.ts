/**
 * Encoders of language models as families of models use them: kinds of T5, and models that continue a text. Where they
 * lie and how they are read is in `language-encoders.json`.
 */
import { ModelUnsupported } from '#core/host';
import type { TokenizerName } from '../../../text/tokenizer-kinds.ts';
import type { EncoderName } from '../../../values/adapter.ts';
import type { ChatForm, TextEncoderModel } from '../../encoders/text-encoder-model.ts';
import { rowsOf, type WeightTable, withoutPrefix } from '../../weight-files/weight-table.ts';
import { bertTextGraph } from './bert-text-graph.ts';
import chatForms from './chat-forms.json' with { type: 'json' };
import networks from './decoder-networks.json' with { type: 'json' };
import { type DecoderNetwork, decoderTextGraph } from './decoder-text-graph.ts';
import { decoderWriterGraph, type WriterShape, writerShape } from './decoder-writer-graph.ts';
import uses from './language-encoders.json' with { type: 'json' };
import { t5TextGraph } from './t5-text-graph.ts';

export interface LanguageUse
  extends Pick<TextEncoderModel, 'masking' | 'template' | 'layers' | 'isCut' | 'hasAllLayers' | 'quotes'> {
  readonly kind: string;
  readonly name: EncoderName;
  /** The beginning of the tensors' names in checkpoints. */
  readonly prefix: string;
  /** `bytes`: that of ByT5, which needs no data. */
  readonly tokenizer: TokenizerName | 'bytes';
  /** The tokenizer of lyrics, for models of music. */
  readonly lyricsTokenizer?: TokenizerName;
  /** Lyrics are tokens of this encoder, whose embeddings the network takes. */
  readonly embedsLyrics?: true;
  /** The encoder writes codes of audio: the first of their tokens, and how many there are. */
  readonly codes?: { readonly first: number; readonly count: number };
  /** The smallest number of tokens of a prompt. */
  readonly minTokens: number;
  /** The token that stands for an image, for encoders with a vision encoder in the same file. */
  readonly imageMarker?: number;
  /** The token that stands for an image whose tokens come from a separate vision encoder. */
  readonly shownMarker?: number;
  /** The layer whose output is used, without the last norm. Default: the last one, with the norm. */
  readonly layer?: number;
}

/** As in `text-encoder-kinds.json`. */
const BERT = 'hunyuan-bert';
const NETWORKS = networks as Readonly<Record<string, DecoderNetwork>>;

/** @param key as in `language-encoders.json`. Undefined: it has no such use. */
export const languageUse = (key: string): LanguageUse | undefined =>
  (uses as Record<string, LanguageUse>)[key];

/** All uses, in no order. */
export const languageUses = (): LanguageUse[] => Object.values(uses) as LanguageUse[];

/** Vision encoders of the same model, decoders and tokenizers have other names. */
const OWN = /^(model|encoder|shared|bert)\./;

/** The weights of an encoder without those of other networks in its file. */
export const languageWeights = (table: WeightTable): WeightTable =>
  new Map([...table].filter(([name]) => OWN.test(name)));

/** The weights of an encoder in a checkpoint by their names in transformers. Empty when the file has none. */
export const bundledLanguageWeights = (table: WeightTable, { prefix }: LanguageUse): WeightTable =>
  withoutPrefix(table, prefix);

const LAYER = /^(?:encoder\.block|model\.layers|bert\.encoder\.layer)\.(\d+)\./;

/** The number of the first layer that the file lacks although it has later ones. Undefined: it has all. */
export function missingLanguageLayer(weights: WeightTable): number | undefined {
  const present = new Set([...weights.keys()].flatMap((name) => LAYER.exec(name)?.[1] ?? []));
  for (let layer = 0; layer < present.size; layer++) if (!present.has(String(layer))) return layer;
  return undefined;
}

/**
 * The ONNX model of an encoder.
 * @param seesImages its tokens have positions in images
 * @throws ModelUnsupported when weights are missing
 */
export function languageGraph(
  weights: WeightTable,
  { kind }: LanguageUse,
  seesImages = false,
): Uint8Array<ArrayBuffer> {
  if (kind === BERT) return bertTextGraph(weights);
  const network = NETWORKS[kind];
  if (!network) return t5TextGraph(weights);
  const { sections, ...flat } = network;
  return decoderTextGraph(weights, seesImages ? network : flat);
}

interface WritingForm extends ChatForm {
  /** The scores of the next token come from the table of tokens. Otherwise the file must have `lm_head.weight`. */
  isTied?: boolean;
}

const WRITING = chatForms as Readonly<Record<string, WritingForm>>;

/** How a model writes texts. */
export interface Writing {
  chat: ChatForm;
  shape: WriterShape;
  weights: WeightTable;
  /** @throws ModelUnsupported when weights are missing */
  build(): Uint8Array<ArrayBuffer>;
}

/**
 * The language model of an encoder for writing texts. Undefined: it writes none, or the file lacks the weights for that.
 * @param table all weights of the encoder's file, by their names in transformers
 */
export function writingOf(table: WeightTable, { kind }: LanguageUse): Writing | undefined {
  const [network, form] = [NETWORKS[kind], WRITING[kind]];
  if (!network || !form) return undefined;
  const weights = languageWeights(table);
  const head = table.get('lm_head.weight');
  if (!head && !form.isTied) return undefined;
  const all = head ? new Map([...weights, ['lm_head.weight', head]]) : weights;
  const { isTied: _, ...chat } = form;
  return {
    chat,
    shape: writerShape(all, network),
    weights: all,
    build: () => decoderWriterGraph(all, network),
  };
}

/**
 * The language model of an encoder for writing codes of audio.
 * @param table all weights of the encoder's file, by their names in transformers
 * @throws ModelUnsupported when it has no tokens for codes
 */
export function codeWritingOf(
  table: WeightTable,
  { kind, codes }: LanguageUse,
): Omit<Writing, 'chat'> & { first: number } {
  const { first, count } = codes!;
  const network = NETWORKS[kind]!;
  const tokens = table.get('model.embed_tokens.weight');
  if ((tokens?.shape[0] ?? 0) < first + count)
    throw new ModelUnsupported('this language model has no tokens for codes of audio');
  // Scores of all tokens would take a quarter of the time.
  const weights = new Map([
    ...languageWeights(table),
    ['lm_head.weight', rowsOf(table.get('lm_head.weight') ?? tokens!, first, first + count)],
  ]);
  return {
    first,
    shape: writerShape(weights, network),
    weights,
    build: () => decoderWriterGraph(weights, network, true),
  };
}
