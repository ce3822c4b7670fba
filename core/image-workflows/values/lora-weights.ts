/** A value of type LORA_MODEL: the weights of an adapter in memory. */
import type { FloatTensor } from './tensor.ts';

export interface LoraWeights {
  /** Adapters of different weights have different names. */
  readonly name: string;
  /** By the names that a file of the adapter gives them, such as `diffusion_model.out.2.lora_up.weight`. */
  readonly tensors: ReadonlyMap<string, FloatTensor>;
  /** The type of the numbers in a file. */
  readonly type: 'F32' | 'BF16';
}
