/** Options of a run. Names, meanings and defaults are those of Ollama's `options` and of PARAMETER in a Modelfile. */

/** Already of the right type. An absent option has the model's value, or the default. */
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

/** The JSON type of an option. `array`: a list of strings. */
export type OptionKind = 'integer' | 'float32' | 'boolean' | 'array';

/** Every option that Ollama knows, also those that nothing here reads. */
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
