/** Options by their wire names (ollama.md section 12), already of the right type; absent = the model's or the default. */
export interface ModelOptions {
  num_ctx?: number;
  num_batch?: number;
  num_gpu?: number;
  main_gpu?: number;
  use_mmap?: boolean;
  num_thread?: number;
  num_keep?: number;
  seed?: number;
  num_predict?: number;
  top_k?: number;
  top_p?: number;
  min_p?: number;
  typical_p?: number;
  repeat_last_n?: number;
  temperature?: number;
  repeat_penalty?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  stop?: string[];
}

/** The options that exist, by their wire names, and the type of each; `stop` is a list of texts. */
export type OptionKind = 'integer' | 'float32' | 'boolean' | 'array';

export const OPTION_KINDS: Readonly<Record<string, OptionKind>> = {
  num_ctx: 'integer',
  num_batch: 'integer',
  num_gpu: 'integer',
  main_gpu: 'integer',
  use_mmap: 'boolean',
  num_thread: 'integer',
  draft_num_predict: 'integer',
  num_keep: 'integer',
  seed: 'integer',
  num_predict: 'integer',
  top_k: 'integer',
  top_p: 'float32',
  min_p: 'float32',
  typical_p: 'float32',
  repeat_last_n: 'integer',
  temperature: 'float32',
  repeat_penalty: 'float32',
  presence_penalty: 'float32',
  frequency_penalty: 'float32',
  stop: 'array',
};
