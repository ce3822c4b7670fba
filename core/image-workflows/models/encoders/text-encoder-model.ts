import type { FilePath } from '#core/host';
import type { PromptTemplate } from '../../text/prompt-template.ts';
import type { PromptTokenizer } from '../../text/prompt-tokens.ts';
import type { EncoderName } from '../../values/adapter.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import type { PromptVision } from './prompt-images.ts';
import type { TokenizerSource } from './tokenizer-files.ts';

/** A text encoder of a model: its graph, its tokenizer, and how its output is read. */
export interface TextEncoderModel {
  name: EncoderName;
  graph: ModelGraph;
  /** The tokenizer, or what opens it at its first use. */
  tokenizer: PromptTokenizer | TokenizerSource;
  /** Opens the tokenizer of lyrics, for models of music. */
  lyricsTokenizer?: TokenizerSource;
  /** Lyrics are tokens of this encoder, whose embeddings the network takes. */
  embedsLyrics?: true;
  /** The folder with the tokenizer's files. */
  tokenizerFolder?: FilePath;
  /** Tokens per chunk. Without chunks, the smallest number of tokens. */
  length: number;
  /** Only as many tokens of a prompt as `length` count. */
  isCut?: true;
  /** Pad tokens that are always added after the end of a prompt without chunks. */
  padding?: number;
  /** Long prompts are encoded in chunks of `length` tokens. */
  isChunked: boolean;
  /** The layer whose output is used: -1 is the last. */
  layer: number;
  /** The embeddings of all layers are used: [1, layers + 1, tokens, width], after those of the tokens. */
  hasAllLayers?: true;
  /** Earlier layers are used without the model's last norm, as in SDXL. Otherwise the norm is applied to them. */
  rawLayers: boolean;
  /** The layers whose outputs form each token's embedding, in this order and without a norm. They replace `layer`. */
  layers?: readonly number[];
  /**
   * The encoder does not see the tokens after the end of a prompt, and neither does the network: the encoding has a
   * mask. `zeros`: their embeddings become zeros, too.
   */
  masking?: 'hidden' | 'zeros';
  /** The text around a prompt. */
  template?: PromptTemplate;
  /** The token that stands for an image whose tokens come from a separate vision encoder. */
  imageMarker?: number;
  /** Undefined: its prompts have no images. */
  vision?: PromptVision;
  /** The same language model for writing texts. */
  writer?: TextWriter;
  /** The encoder reads only what a prompt has in quotes, each as `{}` of this text. Without any, it reads nothing. */
  quotes?: string;
  /** The encoder reads no prompts for the network: it writes codes of audio. */
  codeWriter?: CodeWriter;
}

/** A language model that continues a text. */
export interface TextWriter {
  /** The graph of `decoderWriterGraph`. */
  graph: ModelGraph;
  shape: { layers: number; groups: number; headWidth: number };
  chat: ChatForm;
}

/** A language model that continues a text with codes of audio. */
export interface CodeWriter extends Pick<TextWriter, 'graph' | 'shape'> {
  /** The token of the code 0. Those of the others follow it. The graph has scores of codes only. */
  first: number;
}

/** The texts around a question for which a model was trained. */
export interface ChatForm {
  before: string;
  after: string;
  /** Follows `after` when the model should not think first. Undefined: it never does. */
  withoutThinking?: string;
  /** The special tokens that end an answer. */
  stops: readonly string[];
}

/** The tokenizer of an encoder, opened if it is not yet. Rejects as `TokenizerSource` does. */
export async function tokenizerOf(
  { tokenizer }: Pick<TextEncoderModel, 'tokenizer'>,
  signal: AbortSignal,
): Promise<PromptTokenizer> {
  return typeof tokenizer === 'function' ? await tokenizer(signal) : tokenizer;
}
