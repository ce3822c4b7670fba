/** Adapters: changes to the weights of a network and its text encoders. */
import type { SafetensorsEntry } from '#core/tensors';
import type { ModelGraph } from './model-graph.ts';

/** Text encoders, by ComfyUI's names: CLIP ViT-L, OpenCLIP ViT-bigG (or ViT-H), kinds of T5, and language models. */
export type EncoderName =
  | 'l'
  | 'g'
  | 't5xxl'
  | 't5base'
  | 'umt5base'
  | 'umt5xxl'
  | 'pile_t5xl'
  | 'gemma2_2b'
  | 'qwen25_3b'
  | 'qwen25_7b'
  | 'qwen3_06b'
  | 'qwen3_2b'
  | 'qwen3_4b'
  | 'qwen3_8b'
  | 'mistral3_24b'
  | 'llama'
  | 'byt5_small'
  | 'hydit_clip'
  | 'mt5xl';

/**
 * The part that a tensor plays in an adapter: `up`, `down` and `alpha` are LoRA's, `mid` LoCon's, `hada…` LoHa's,
 * `lokr…` LoKr's and `dora` DoRA's. The two differences are weights that are added as they are.
 */
export type AdapterRole =
  | 'up'
  | 'down'
  | 'alpha'
  | 'mid'
  | `hada_w${1 | 2}_${'a' | 'b'}`
  | `hada_t${1 | 2}`
  | `lokr_w${1 | 2}${'' | '_a' | '_b'}`
  | 'lokr_t2'
  | 'dora'
  | 'difference'
  | 'biasDifference';

export type AdapterTensors = Readonly<Partial<Record<AdapterRole, SafetensorsEntry>>>;
export type ReadNumbers = (tensor: SafetensorsEntry) => Promise<Float32Array>;

/** An adapter from a file of low-rank factors or differences. */
export interface Adapter {
  readonly name: string;
  readonly parts: readonly AdapterPart[];
}

/** The change to the weight or the bias of one module. */
export interface AdapterPart {
  /** The network, or a text encoder by its name or by its index in the model. */
  target: 'network' | EncoderName | number;
  /** In the form of `moduleKey`. */
  module: string;
  of: 'weight' | 'bias';
  tensors: AdapterTensors;
  /** The module's share of the tensors' outputs. Undefined: all of them. */
  rows?: { readonly start: number; readonly end: number; readonly total: number };
  numbers: ReadNumbers;
}

/** A second model as an adapter: the difference between its weights and the first model's stored weights is added. */
export interface ModelAdapter {
  readonly name: string;
  /** The graphs by key: `network`, or the name of a text encoder. */
  readonly graphs: ReadonlyMap<string, ModelGraph>;
}

export type AnyAdapter = Adapter | ModelAdapter;
