import { repeatBatch, toBatch } from '../../../values/batches.ts';
import type { FloatTensor } from '../../../values/tensor.ts';
import { feedAll, findSlot } from '../../graphs/session-tensors.ts';
import type { NetworkLayout } from '../../networks/onnx-network.ts';

/** The usual guidance scale, for prompts that set none. */
const USUAL_GUIDANCE = 5;

/** Latents are [batch, channels, cells], and tokens of the network the other way round. */
export const hunyuan3dLayout: NetworkLayout = {
  outputs: ['out_hidden_states'],
  feeds({ session, x, timestep, prompts }) {
    const [batch = 1] = x.shape;
    const guidance = prompts.map(({ options }) => ({
      shape: [1],
      data: Float32Array.of(options.guidance ?? USUAL_GUIDANCE),
    }));
    const feeds: Record<string, FloatTensor> = {
      hidden_states: lastSidesSwapped(repeatBatch(x, prompts.length)),
      encoder_hidden_states: toBatch(
        prompts.map(({ tensor }) => tensor),
        batch,
      ),
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      ...(findSlot(session.inputs, 'guidance') && { guidance: toBatch(guidance, batch) }),
    };
    return feedAll(session, feeds);
  },
  toLatent: lastSidesSwapped,
};

/** [batch, rows, columns] to [batch, columns, rows]. */
export function lastSidesSwapped({
  shape: [batch = 1, rows = 1, columns = 1],
  data,
}: FloatTensor): FloatTensor {
  const result = new Float32Array(data.length);
  for (let at = 0; at < data.length; at++) {
    const [column, row] = [at % columns, Math.floor(at / columns) % rows];
    result[at - (row * columns + column) + column * rows + row] = data[at]!;
  }
  return { shape: [batch, columns, rows], data: result };
}
