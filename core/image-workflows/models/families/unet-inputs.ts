/** The inputs that UNets share with their control nets, and the embedding of the numbers among them. */
import type { ValueInfo } from '#core/tensors';
import { add, concat, reshape } from '../layers/elementary.ts';
import type { NetworkModule, Value } from '../layers/network-module.ts';
import { embeddingLayers, sinusoid } from '../layers/timestep-embedding.ts';

/** The width of the embedding of each of SDXL's sizes. */
const SIZE_EMBEDDING = 256;

export interface UnetInputs {
  inputs: ValueInfo[];
  /** The sum of the embeddings of the timestep, and of SDXL's sizes and pooled text. */
  embedding: Value;
}

/**
 * The inputs `sample` [batch, channels, height, width], `timestep` [1], `encoder_hidden_states` [batch, tokens, width];
 * for SDXL `text_embeds` [batch, width] and `time_ids` [batch, 6].
 * @throws ModelUnsupported when weights are missing
 */
export function unetInputs(unet: NetworkModule): UnetInputs {
  const [width = 0, channels = 0] = unet.at('conv_in').shape();
  const inputs: ValueInfo[] = [
    { name: 'sample', type: 'float32', shape: ['batch', channels, 'height', 'width'] },
    { name: 'timestep', type: 'float32', shape: [1] },
    { name: 'encoder_hidden_states', type: 'float32', shape: ['batch', 'tokens', contextWidth(unet)] },
  ];
  const time = embeddingLayers(unet.at('time_embedding'), sinusoid(unet, 'timestep', width));
  const added = unet.at('add_embedding');
  if (!added.exists()) return { inputs, embedding: time };
  const [, total = 0] = added.at('linear_1').shape();
  const sizes = sizesAndPooled(added, total);
  return { inputs: [...inputs, ...sizes.inputs], embedding: add(unet, time, sizes.embedding) };
}

/** SDXL's sizes and pooled text as one embedding (Podell et al., 2023, section 2.2). */
function sizesAndPooled(m: NetworkModule, width: number): UnetInputs {
  // The base model takes six sizes, the refiner five.
  const count = width === 2560 ? 5 : 6;
  const pooledWidth = width - count * SIZE_EMBEDDING;
  const flat = reshape(m, 'time_ids', -1);
  const sizes = reshape(m, sinusoid(m, flat, SIZE_EMBEDDING), -1, count * SIZE_EMBEDDING);
  return {
    inputs: [
      { name: 'text_embeds', type: 'float32', shape: ['batch', pooledWidth] },
      { name: 'time_ids', type: 'float32', shape: ['batch', count] },
    ],
    embedding: embeddingLayers(m, concat(m, -1, 'text_embeds', sizes)),
  };
}

/** The width of the prompt's embeddings. A text for a network without layers that see the prompt: any width fits. */
function contextWidth(unet: NetworkModule): number | string {
  const end = '.weight';
  for (const name of unet.graph.weights.keys())
    if (name.endsWith(`.attn2.to_k${end}`)) return unet.at(name.slice(0, -end.length)).shape()[1] ?? 0;
  return 'context';
}
