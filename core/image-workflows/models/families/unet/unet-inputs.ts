/** The inputs that UNets share with their control nets, and the embedding of the numbers among them. */
import type { ValueInfo } from '#core/tensors';
import { add, concat, reshape } from '../../layers/elementary.ts';
import { linear } from '../../layers/linear.ts';
import type { NetworkModule, Value } from '../../layers/network-module.ts';
import { embeddingLayers, sinusoid } from '../../layers/timestep-embedding.ts';
import { tokenEmbedding } from '../../layers/token-embedding.ts';

/** The width of the embedding of each of SDXL's sizes. */
const SIZE_EMBEDDING = 256;

export interface UnetInputs {
  inputs: ValueInfo[];
  /** The sum of the embeddings of the timestep and of labels. */
  embedding: Value;
}

/**
 * The inputs `sample` [batch, channels, height, width], `timestep` [1], `encoder_hidden_states` [batch, tokens, width].
 * SDXL has `text_embeds` [batch, width] and `time_ids` [batch, 6]. Other labels are `class_labels` [batch, width], or
 * int64 [batch] for the numbers of classes.
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
  const labels = labelInputs(unet);
  if (!labels) return { inputs, embedding: time };
  return { inputs: [...inputs, ...labels.inputs], embedding: add(unet, time, labels.embedding) };
}

/** The prompt as the network's layers see it: Zero123 projects it together with the view. */
export function promptValue(unet: NetworkModule): Value {
  const projection = unet.at('cc_projection');
  return projection.exists() ? linear(projection, 'encoder_hidden_states') : 'encoder_hidden_states';
}

function labelInputs(unet: NetworkModule): UnetInputs | undefined {
  const added = unet.at('add_embedding');
  if (added.exists()) return sizesAndPooled(added, added.at('linear_1').shape()[1] ?? 0);
  const classes = unet.at('class_embedding');
  if (!classes.exists()) return undefined;
  const name = 'class_labels';
  if (classes.has('weight'))
    return {
      inputs: [{ name, type: 'int64', shape: ['batch'] }],
      embedding: tokenEmbedding(classes, name),
    };
  const [, width = 0] = classes.at('linear_1').shape();
  return {
    inputs: [{ name, type: 'float32', shape: ['batch', width] }],
    embedding: embeddingLayers(classes, name),
  };
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
  const projection = unet.at('cc_projection');
  if (projection.exists()) return projection.shape()[1]!;
  const end = '.weight';
  for (const name of unet.graph.weights.keys())
    if (name.endsWith(`.attn2.to_k${end}`)) return unet.at(name.slice(0, -end.length)).shape()[1] ?? 0;
  return 'context';
}
