/** Runs the graphs of control nets of all kinds. */
import type { Tensor, TensorSession } from '#core/host';
import type { FloatTensor } from '../../values/tensor.ts';
import { feed, findSlot, toFloatTensor } from '../graphs/session-tensors.ts';

/** Strength 1 for graphs that take a strength. The strength of the node is applied to the residuals instead. */
export function fullStrengthFeed({ inputs }: TensorSession): Record<string, Tensor> {
  const scale = findSlot(inputs, 'conditioning_scale');
  if (!scale) return {};
  const shape = scale.shape.length === 0 ? [] : [1];
  return { [scale.name]: feed(scale, { shape, data: Float32Array.of(1) }) };
}

/** The outputs with these names for each of `count` prompts: [prompts x batch, …] to [batch, …]. */
export async function runForPrompts(
  { session, names, count, batch }: { session: TensorSession; names: string[]; count: number; batch: number },
  feeds: Record<string, Tensor>,
  signal: AbortSignal,
): Promise<FloatTensor[][]> {
  const outputs = await session.run(feeds, signal, names);
  const tensors = names.map((name) => toFloatTensor(outputs[name]!));
  return Array.from({ length: count }, (_, index) =>
    tensors.map(({ shape, data }) => {
      const size = data.length / count;
      return { shape: [batch, ...shape.slice(1)], data: data.slice(index * size, (index + 1) * size) };
    }),
  );
}
