/** Reading a text encoder at an earlier layer than its last ("CLIP skip"). */
import { type OnnxNode, protobufMessage } from '#core/tensors';
import type { GraphChange, ModelGraph } from '../../values/model-graph.ts';
import type { FloatTensor } from '../../values/tensor.ts';

export interface ClipLayer {
  /** Name of the output. */
  output: string;
  /** Makes the graph give it, where it does not by itself. */
  change?: GraphChange;
  /** The norm that the last layer goes through. */
  norm?: { scale: Float32Array; offset: Float32Array };
}

/** CLIP's layer norm has this added to the variance. */
const EPSILON = 1e-5;
/** What goes into layer N goes through this norm first, as exporters name it: `/text_model/encoder/layers.11/layer_norm1/…`. */
const ENTRY = /layers?[./](\d+)\/layer_norm1\//;
const OUTPUT = 12;

/**
 * `layer`: -2 the last but one. With `needsNorm`, its vectors go through the model's last norm. Throws where the graph was
 * changed so much that its layers cannot be told.
 */
export async function findLayer(
  graph: ModelGraph,
  layer: number,
  needsNorm: boolean,
  signal: AbortSignal,
): Promise<ClipLayer> {
  const { outputs, nodes, initializers } = await graph.source.outline();
  const norm = needsNorm ? { norm: await lastNorm(graph, signal) } : {};
  const given = outputs.filter((name) => /^hidden_states\.\d+$/.test(name));
  const named = `hidden_states.${given.length + layer}`;
  if (given.includes(named)) return { output: named, ...norm };
  const entries = layerInputs(nodes);
  // What comes out of the last layer but one is what goes into the last.
  const wanted = entries.get(entries.size + layer + 1);
  if (entries.size === 0)
    throw new Error(
      "this model's text encoder does not tell its layers apart: export it with output_hidden_states, or read its last layer (-1)",
    );
  if (wanted === undefined)
    throw new Error(`this model's text encoder has ${entries.size} layers and none called ${layer}`);
  const isHalf = initializers.some(
    ({ name, type }) => name.endsWith('final_layer_norm.weight') && type === 'F16',
  );
  return { output: wanted, change: exposeValue(wanted, isHalf), ...norm };
}

/** The values that go into layers, by their numbers. */
export function layerInputs(nodes: readonly OnnxNode[]): Map<number, string> {
  const entries = new Map<number, string>();
  for (const { name, module, inputs } of nodes) {
    const index = ENTRY.exec(module ? `${module.replaceAll('.', '/')}/` : name)?.[1];
    if (index !== undefined && !entries.has(Number(index)) && inputs[0])
      entries.set(Number(index), inputs[0]);
  }
  return entries;
}

/** Makes a graph give a value, which is of floats with 16 or 32 bits. */
export function exposeValue(value: string, isHalf: boolean): GraphChange {
  const type = protobufMessage([1, protobufMessage([1, isHalf ? 10 : 1])]);
  return { key: `output ${value}`, fields: [[OUTPUT, protobufMessage([1, value], [2, type])]] };
}

async function lastNorm(
  graph: ModelGraph,
  signal: AbortSignal,
): Promise<{ scale: Float32Array; offset: Float32Array }> {
  const { initializers } = await graph.source.outline();
  const numbers = async (name: string) => {
    const found = initializers.find((one) => one.name.endsWith(`final_layer_norm.${name}`));
    if (!found)
      throw new Error(
        "this model's text encoder does not name its last norm (final_layer_norm): it can only be read at its last layer (-1)",
      );
    return graph.numbers(found.name, signal);
  };
  return { scale: await numbers('weight'), offset: await numbers('bias') };
}

/** Each vector of [batch, tokens, width] brought to mean 0 and variance 1, then scaled and moved. */
export function layerNorm(
  { shape, data }: FloatTensor,
  { scale, offset }: NonNullable<ClipLayer['norm']>,
): FloatTensor {
  const width = shape.at(-1)!;
  const made = new Float32Array(data.length);
  for (let start = 0; start < data.length; start += width) {
    let mean = 0;
    for (let i = 0; i < width; i++) mean += data[start + i]!;
    mean /= width;
    let variance = 0;
    for (let i = 0; i < width; i++) variance += (data[start + i]! - mean) ** 2;
    const factor = 1 / Math.sqrt(variance / width + EPSILON);
    for (let i = 0; i < width; i++)
      made[start + i] = (data[start + i]! - mean) * factor * scale[i]! + offset[i]!;
  }
  return { shape, data: made };
}
