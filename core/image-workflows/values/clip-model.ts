import type { FilePath } from '#core/host';
import type { CodeSampling, TokenSampling } from '../text/choose-token.ts';
import type { AnyAdapter } from './adapter.ts';
import type { ClipHooks } from './hooks.ts';
import type { ModelGraph } from './model-graph.ts';
import type { PromptOptions } from './network.ts';
import type { FloatTensor } from './tensor.ts';

/** A text for a language model to write. */
export interface WritingRequest {
  readonly prompt: string;
  /** The prompt is a question in the form for which the model was trained. False: the model continues it. */
  readonly isChat: boolean;
  /** The model may think before it answers, if it can. */
  readonly thinks: boolean;
  readonly maxTokens: number;
  /** Undefined: the best token each time. */
  readonly sampling: (TokenSampling & { readonly seed: bigint }) | undefined;
  /** Is called with the number of tokens so far. */
  onToken(count: number): Promise<void>;
}

/** Codes of audio for a language model to write. */
export interface CodesRequest extends CodeSampling {
  readonly prompt: string;
  /** A prompt from which the codes are guided away. */
  readonly negative: string;
  /** How far they are. 1: not at all. */
  readonly scale: number;
  readonly count: number;
  readonly seed: bigint;
  /** Is called with the number of codes so far. */
  onCode(count: number): Promise<void>;
}

/** Images that a prompt describes, as tokens of a vision encoder. */
export interface ShownImages {
  /** Replaces the template of the prompt. `{}` is the prompt, and the encoder's marker stands for an image. */
  readonly template: string;
  /** [images, tokens, width]. Undefined: the vision encoder makes none for language models. */
  readonly tokens: FloatTensor | undefined;
  /** The first of each so many tokens of an image also stands before the encoded prompt. */
  readonly interleave: number;
}

/** A value of type CLIP: the text encoders of a model. */
export interface ClipModel {
  /**
   * Encodes a text, or one text per encoder name. `tensor` is [1, tokens, width] and `pooled` [1, width]. The embeddings
   * of the encoders in `silent` are zeros. `images`, [1, height, width, 3] each, stand where the text has the encoder's
   * marker of an image; rejects when the encoder sees none. `attentionMask` [1, tokens] is 0 for tokens that the network must not see.
   * `shown` counts for encoders that take tokens of images.
   * `secondText` is the text by another encoder, for networks that take both apart.
   * `lyrics` [1, tokens] are the tokens of the text `lyrics`, for models of music. `lyricStates` [1, tokens, width] are
   * their embeddings, for models that take those.
   * `glyphs` [1, tokens, width] are the quoted parts of the text by an encoder of letters.
   * `languageLayers` [1, layers, tokens, width] is the text by each layer of a language model.
   */
  encode(
    text: string | Record<string, string>,
    signal: AbortSignal,
    silent?: readonly string[],
    images?: readonly FloatTensor[],
    shown?: ShownImages,
  ): Promise<{
    tensor: FloatTensor;
    pooled?: FloatTensor;
    attentionMask?: FloatTensor;
    languageLayers?: FloatTensor;
    lyrics?: FloatTensor;
    lyricStates?: FloatTensor;
    glyphs?: FloatTensor;
    secondText?: PromptOptions['secondText'];
  }>;
  /** Writes a text with the language model of an encoder. Undefined: no encoder can. */
  write?(request: WritingRequest, signal: AbortSignal): Promise<string>;
  /** Writes codes of audio with the language model of an encoder. Undefined: no encoder can. */
  writeCodes?(request: CodesRequest, signal: AbortSignal): Promise<number[]>;
  /** The encoders read at an earlier layer: -1 is the last. */
  withLastLayer(layer: number): ClipModel;
  /** Hooks that `encodePrompts` applies. */
  readonly hooks?: ClipHooks;
  withHooks(hooks: ClipHooks): ClipModel;
  /** Changes the padding of T5's prompts: this many pad tokens after the end, then up to `minLength` tokens in all. */
  withPadding(filling: { padding: number; minLength: number }): ClipModel;
  /** The encoders with an adapter's weights added. Rejects when they do not fit. */
  withAdapter(adapter: AnyAdapter, strength: number): Promise<ClipModel>;
  /** The graph with the weights of each encoder, by the names of `EncoderName`. */
  readonly graphs: ReadonlyMap<string, ModelGraph>;
  /** Folders with the tokenizer files of each encoder. */
  readonly tokenizers?: ReadonlyMap<string, FilePath>;
  /** Replaces graphs by ones derived from them. Encoders without an entry stay. */
  withGraphs(graphs: ReadonlyMap<string, ModelGraph>): ClipModel;
}
