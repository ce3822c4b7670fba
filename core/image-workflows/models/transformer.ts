/** Transformers that predict the velocity of a flow: those of Stable Diffusion 3 and of Flux in the diffusers layout. */
import type { Tensor } from '../../host/tensor-engine.ts';
import { type FloatTensor, filled } from '../values/tensor.ts';
import { repeated, stacked, summaries } from './batches.ts';
import type { NetworkInput, NetworkLayout } from './network.ts';
import { feed, neededSlot, slotOf } from './tensors.ts';

const OUTPUTS = ['out_hidden_states', 'out_sample', 'sample'];
/** Latent cells a side that make one token. */
const PATCH = 2;

/** Esser et al., "Scaling rectified flow transformers for high-resolution image synthesis", 2024. */
export const sd3Layout: NetworkLayout = {
  outputs: OUTPUTS,
  feeds(input) {
    const hidden = neededSlot(input.session, 'hidden_states');
    return {
      ...sharedFeeds(input),
      [hidden.name]: feed(hidden, repeated(evened(input.x), input.prompts.length)),
    };
  },
  restored: (output, x) => trimmed(output, x),
};

/** Latents go in as tokens of 2 x 2 cells, with their places. */
export const fluxLayout: NetworkLayout = {
  outputs: OUTPUTS,
  feeds(input) {
    const { session, x, prompts } = input;
    const hidden = neededSlot(session, 'hidden_states');
    const even = evened(x);
    const [, , height = 0, width = 0] = even.shape;
    const feeds = {
      ...sharedFeeds(input),
      [hidden.name]: feed(hidden, packed(repeated(even, prompts.length))),
    };
    const places = (name: string, rows: number, cell: (row: number) => [number, number]) => {
      const slot = slotOf(session.inputs, name);
      if (!slot) return;
      const data = new Float32Array(rows * 3);
      for (let row = 0; row < rows; row++) data.set(cell(row), row * 3 + 1);
      feeds[slot.name] = feed(slot, { shape: slot.shape.length === 3 ? [1, rows, 3] : [rows, 3], data });
    };
    const across = width / PATCH;
    places('img_ids', (height / PATCH) * across, (row) => [Math.floor(row / across), row % across]);
    places('txt_ids', prompts[0]!.tensor.shape[1]!, () => [0, 0]);
    const guidance = slotOf(session.inputs, 'guidance');
    if (guidance) {
      const scales = prompts.map(({ options }) => ({
        shape: [1],
        data: Float32Array.of(Number(options.guidance ?? 3.5)),
      }));
      feeds[guidance.name] = feed(guidance, stacked(scales, x.shape[0]!));
    }
    return feeds;
  },
  restored: (output, x) => trimmed(unpacked(output, x), x),
};

function sharedFeeds({ session, x, timestep, prompts }: NetworkInput): Record<string, Tensor> {
  if (prompts.some(({ control }) => control))
    throw new Error('control nets for transformers do not run here: choose a model with a UNet');
  const time = neededSlot(session, 'timestep');
  const text = neededSlot(session, 'encoder_hidden_states');
  const pooled = slotOf(session.inputs, 'pooled_projections');
  const batch = x.shape[0]!;
  const times = time.shape.length === 0 || time.shape[0] === 1 ? 1 : batch * prompts.length;
  return {
    [time.name]: feed(time, {
      shape: time.shape.length === 0 ? [] : [times],
      data: new Float32Array(times).fill(timestep),
    }),
    [text.name]: feed(
      text,
      stacked(
        prompts.map(({ tensor }) => tensor),
        batch,
      ),
    ),
    ...(pooled && { [pooled.name]: feed(pooled, summaries(prompts, batch)) }),
  };
}

/** With even sides: what is missing is taken from the opposite side. */
function evened(x: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, height = 1, width = 1] = x.shape;
  const [high, wide] = [Math.ceil(height / PATCH) * PATCH, Math.ceil(width / PATCH) * PATCH];
  if (high === height && wide === width) return x;
  const made = filled([batch, channels, high, wide]);
  for (let plane = 0; plane < batch * channels; plane++)
    for (let row = 0; row < high; row++)
      for (let column = 0; column < wide; column++)
        made.data[(plane * high + row) * wide + column] =
          x.data[(plane * height + (row % height)) * width + (column % width)]!;
  return made;
}

/** The part of [any batch, channels, height, width] that is as large as `x`. */
function trimmed({ shape, data }: FloatTensor, x: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, high = 1, wide = 1] = shape;
  const [height = 1, width = 1] = x.shape.slice(2);
  if (high === height && wide === width) return { shape, data };
  const made = filled([batch, channels, height, width]);
  for (let plane = 0; plane < batch * channels; plane++)
    for (let row = 0; row < height; row++) {
      const from = (plane * high + row) * wide;
      made.data.set(data.subarray(from, from + width), (plane * height + row) * width);
    }
  return made;
}

/** [batch, channels, height, width] -> [batch, tokens, channels x 2 x 2] */
function packed({ shape, data }: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, height = 1, width = 1] = shape;
  const made = filled([batch, (height / PATCH) * (width / PATCH), channels * PATCH * PATCH]);
  eachCell(batch, channels, height, width, (token, plane) => {
    made.data[token] = data[plane]!;
  });
  return made;
}

function unpacked({ shape, data }: FloatTensor, x: FloatTensor): FloatTensor {
  const [batch = 1, , features = 0] = shape;
  const channels = features / (PATCH * PATCH);
  const [height = 1, width = 1] = x.shape.slice(2).map((side) => Math.ceil(side / PATCH) * PATCH);
  const made = filled([batch, channels, height, width]);
  eachCell(batch, channels, height, width, (token, plane) => {
    made.data[plane] = data[token]!;
  });
  return made;
}

function eachCell(
  batch: number,
  channels: number,
  height: number,
  width: number,
  use: (token: number, plane: number) => void,
): void {
  const across = width / PATCH;
  const tokens = (height / PATCH) * across;
  let plane = 0;
  for (let picture = 0; picture < batch; picture++)
    for (let channel = 0; channel < channels; channel++)
      for (let row = 0; row < height; row++)
        for (let column = 0; column < width; column++) {
          const token = Math.floor(row / PATCH) * across + Math.floor(column / PATCH);
          const feature = channel * PATCH * PATCH + (row % PATCH) * PATCH + (column % PATCH);
          use((picture * tokens + token) * channels * PATCH * PATCH + feature, plane++);
        }
}
