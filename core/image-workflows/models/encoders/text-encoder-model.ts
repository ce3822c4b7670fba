import type { FilePath } from '#core/host';
import type { PromptTokenizer } from '../../text/prompt-tokens.ts';
import type { EncoderName } from '../../values/adapter.ts';
import type { ModelGraph } from '../../values/model-graph.ts';

/** A text encoder of a model: its graph, its tokenizer, and how its output is read. */
export interface TextEncoderModel {
  name: EncoderName;
  graph: ModelGraph;
  tokenizer: PromptTokenizer;
  /** The folder with the tokenizer's files. */
  tokenizerFolder?: FilePath;
  /** Tokens per chunk. Without chunks, the smallest number of tokens. */
  length: number;
  /** Pad tokens that are always added after the end of a prompt without chunks. */
  padding?: number;
  /** Long prompts are encoded in chunks of `length` tokens. */
  isChunked: boolean;
  /** The layer whose output is used: -1 is the last. */
  layer: number;
  /** Earlier layers are used without the model's last norm, as in SDXL. Otherwise the norm is applied to them. */
  rawLayers: boolean;
}
