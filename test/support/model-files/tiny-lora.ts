/** A LoRA adapter of rank 4 with random weights, for the query projection of the first layer of a Llama model. */
import { type GgufValue, type TinyTensor, tinyGguf } from './tiny-gguf.ts';

const RANK = 4;

export interface TinyLoraOptions {
  /** The embedding length of the model. */
  width: number;
  /** The strength. At 0 the answers are those of the model alone. */
  strength: number;
  architecture?: string;
}

export function tinyLora({
  width,
  strength,
  architecture = 'llama',
}: TinyLoraOptions): Uint8Array<ArrayBuffer> {
  const wave = (count: number, step: number, scale: number) =>
    Float32Array.from({ length: count }, (_, at) => Math.sin(at * step) * scale);
  const tensors: TinyTensor[] = [
    {
      name: 'blk.0.attn_q.weight.lora_a',
      shape: [width, RANK],
      type: 'F32',
      data: wave(width * RANK, 0.7, 0.3),
    },
    {
      name: 'blk.0.attn_q.weight.lora_b',
      shape: [RANK, width],
      type: 'F32',
      data: wave(width * RANK, 1.3, strength),
    },
  ];
  const text = (value: string): GgufValue => ({ type: 'string', value });
  return tinyGguf({
    architecture,
    tensors,
    chatTemplate: null,
    metadata: {
      'general.type': text('adapter'),
      'general.name': text('Tiny adapter'),
      'adapter.type': text('lora'),
      'adapter.lora.alpha': { type: 'float32', value: RANK },
    },
  });
}
