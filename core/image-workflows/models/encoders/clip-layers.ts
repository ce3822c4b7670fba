/** Reads text and vision encoders at an earlier layer than the last ("CLIP skip"). */
import { type OnnxNode, protobufMessage } from '#core/tensors';
import type { GraphChange, ModelGraph } from '../../values/model-graph.ts';
import type { FloatTensor } from '../../values/tensor.ts';

export interface ClipLayer {
  /** Name of the output. */
  output: string;
  /** Adds the output to the graph, when the graph lacks it. */
  change?: GraphChange;
  /** The norm after the last layer. */
  norm?: LayerNorm;
}

export interface LayerNorm {
  scale: Float32Array;
  offset: Float32Array;
}

/** CLIP's layer norm adds this to the variance. */
const EPSILON = 1e-5;
/** The norm at the start of layer N, by the names that exporters write: `/text_model/encoder/layers.11/layer_norm1/…`. */
const FIRST_NORM = /layers?[./](\d+)\/layer_norm1\//;
/** `output` of GraphProto. */
const OUTPUT = 12;

/**
 * Finds the output of a layer, where -2 is the last but one. With `needsNorm`, the model's last norm is applied to it.
 * Rejects when the graph does not name its layers.
 */
export async function findLayer(
  graph: ModelGraph,
  layer: number,
  needsNorm: boolean,
  signal: AbortSignal,
): Promise<ClipLayer> {
  const { outputs, nodes, initializers } = await graph.source.outline();
  const norm = needsNorm ? { norm: await lastNorm(graph, signal) } : {};
  const hiddenStates = outputs.filter((name) => /^hidden_states\.\d+$/.test(name));
  const hiddenState = `hidden_states.${hiddenStates.length + layer}`;
  if (hiddenStates.includes(hiddenState)) return { output: hiddenState, ...norm };
  const inputs = layerInputs(nodes);
  // The output of a layer is the input of the next one.
  const output = inputs.get(inputs.size + layer + 1);
  if (inputs.size === 0)
    throw new Error(
      "this model's text encoder does not name its layers: export it with output_hidden_states, or read its last layer (-1)",
    );
  if (output === undefined)
    throw new Error(`this model's text encoder has ${inputs.size} layers and none called ${layer}`);
  const isHalf = initializers.some(
    ({ name, type }) => name.endsWith('final_layer_norm.weight') && type === 'F16',
  );
  return { output, change: exposeValue(output, isHalf), ...norm };
}

/** The input values of layers, by layer number. */
export function layerInputs(nodes: readonly OnnxNode[]): Map<number, string> {
  const byLayer = new Map<number, string>();
  for (const { name, module, inputs } of nodes) {
    const index = FIRST_NORM.exec(module ? `${module.replaceAll('.', '/')}/` : name)?.[1];
    if (index !== undefined && !byLayer.has(Number(index)) && inputs[0])
      byLayer.set(Number(index), inputs[0]);
  }
  return byLayer;
}

/** Makes a value of 16- or 32-bit floats an output of the graph. */
export function exposeValue(value: string, isHalf: boolean): GraphChange {
  const type = protobufMessage([1, protobufMessage([1, isHalf ? 10 : 1])]);
  return { key: `output ${value}`, fields: [[OUTPUT, protobufMessage([1, value], [2, type])]] };
}

async function lastNorm(graph: ModelGraph, signal: AbortSignal): Promise<LayerNorm> {
  const { initializers } = await graph.source.outline();
  const numbers = async (suffix: string) => {
    const found = initializers.find(({ name }) => name.endsWith(`final_layer_norm.${suffix}`));
    if (!found)
      throw new Error(
        "this model's text encoder does not name its last norm (final_layer_norm): it can only be read at its last layer (-1)",
      );
    return graph.numbers(found.name, signal);
  };
  return { scale: await numbers('weight'), offset: await numbers('bias') };
}

/** Layer norm over the width of [batch, tokens, width]: mean 0 and variance 1, then scale and offset. */
export function layerNorm({ shape, data }: FloatTensor, { scale, offset }: LayerNorm): FloatTensor {
  const width = shape.at(-1)!;
  const result = new Float32Array(data.length);
  for (let start = 0; start < data.length; start += width) {
    let mean = 0;
    for (let i = 0; i < width; i++) mean += data[start + i]!;
    mean /= width;
    let variance = 0;
    for (let i = 0; i < width; i++) variance += (data[start + i]! - mean) ** 2;
    const factor = 1 / Math.sqrt(variance / width + EPSILON);
    for (let i = 0; i < width; i++)
      result[start + i] = (data[start + i]! - mean) * factor * scale[i]! + offset[i]!;
  }
  return { shape, data: result };
}
