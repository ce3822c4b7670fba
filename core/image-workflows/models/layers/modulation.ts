/**
 * Layer norms whose scale and shift follow from the timestep and the prompt (Peebles and Xie, "Scalable diffusion models
 * with transformers", 2023, section 3.2: adaLN-Zero).
 */
import type { GraphBuilder } from '#core/tensors';
import { add, multiply, slice } from './elementary.ts';
import { linear } from './linear.ts';
import type { NetworkModule, Value } from './network-module.ts';

/** The tensors of ones of a graph, by their length: all norms share them. */
const onesOfGraph = new WeakMap<GraphBuilder, Map<number, Value>>();

function ones({ graph }: NetworkModule, width: number): Value {
  const byWidth = onesOfGraph.get(graph) ?? new Map<number, Value>();
  onesOfGraph.set(graph, byWidth);
  const tensor =
    byWidth.get(width) ?? graph.floatInitializer(`ones_${width}`, [width], new Float32Array(width).fill(1));
  byWidth.set(width, tensor);
  return tensor;
}

/** A layer norm over the last axis without weights of its own. */
export const plainNorm = (m: NetworkModule, x: Value, width: number, epsilon = 1e-6): Value =>
  m.op('LayerNormalization', [x, ones(m, width)], { axis: -1, epsilon: { float: epsilon } });

/** x · (1 + scale) + shift */
export function modulate(m: NetworkModule, x: Value, shift: Value, scale: Value): Value {
  const factor = add(m, scale, m.graph.scalarInitializer(1));
  return add(m, multiply(m, x, factor), shift);
}

/**
 * Shifts, scales and gates for the tokens: [batch, 1, width] each.
 * @param m has the projection `linear`
 * @param embedding [batch, width], after its activation
 */
export function modulations(m: NetworkModule, embedding: Value, width: number): Value[] {
  const projection = m.at('linear');
  const count = projection.shape()[0]! / width;
  const all = m.op('Unsqueeze', [linear(projection, embedding), m.graph.int64Initializer([1])]);
  return Array.from({ length: count }, (_, at) => slice(m, all, -1, at * width, (at + 1) * width));
}

/** x + gate · change. The result of a module inside of `m` counts as `m`'s change of its stream. */
export const addGated = (m: NetworkModule, x: Value, gate: Value, change: Value): Value =>
  add(m, x, multiply(m, gate, change));

/** The shifts, scales and gates of a norm, in this order: [batch, 1, width] each. */
export type ModulationSource = (norm: NetworkModule) => readonly Value[];

/**
 * The last norm of a transformer, with a scale and a shift from `linear`.
 * @param order of both in the weights
 */
export function modulatedNorm(
  m: NetworkModule,
  x: Value,
  embedding: Value,
  width: number,
  order: ModulationOrder,
): Value {
  const [first, second] = modulations(m, embedding, width);
  const [shift, scale] = order === 'shift scale' ? [first!, second!] : [second!, first!];
  return modulate(m, plainNorm(m, x, width), shift, scale);
}

/** Original files store the shift first in norms with two parts, and diffusers the scale. */
export type ModulationOrder = 'shift scale' | 'scale shift';
