import type { OnnxNode, OnnxOutline } from '#core/tensors';
import { constantsOf } from './graph-constants.ts';

/** Operators over stored weights that keep their shape, with the input that has it. 8-bit floats are looked up in a table. */
const KEEP_SHAPE: Readonly<Record<string, number>> = { Cast: 0, Identity: 0, Mul: 0, Gather: 1 };

const producersByOutline = new WeakMap<OnnxOutline, ReadonlyMap<string, OnnxNode>>();

function producersOf(outline: OnnxOutline): ReadonlyMap<string, OnnxNode> {
  const existing = producersByOutline.get(outline);
  if (existing) return existing;
  const producers = new Map(
    outline.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)),
  );
  producersByOutline.set(outline, producers);
  return producers;
}

/**
 * The shape of a constant, or of a value that is a constant as floats of 32 bits, or a transposed one. Undefined for
 * other values.
 */
export function operandShape(outline: OnnxOutline, value: string): readonly number[] | undefined {
  let [name, isTransposed] = [value, false];
  // Each step goes back by one node, and graphs have no cycles.
  for (;;) {
    const constant = constantsOf(outline).get(name);
    if (constant) {
      const { shape } = constant.initializer;
      return isTransposed ? shape.toReversed() : shape;
    }
    const producer = producersOf(outline).get(name);
    if (producer?.operator === 'Transpose') isTransposed = !isTransposed;
    const operand = producer && (producer.operator === 'Transpose' ? 0 : KEEP_SHAPE[producer.operator]);
    const next = operand === undefined ? undefined : producer?.inputs[operand];
    if (next === undefined) return undefined;
    name = next;
  }
}
