/** Transformers that predict the velocity of a flow: those of Stable Diffusion 3 and of Flux in the diffusers layout. */
import type { Tensor } from '#core/host';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import { feed, findSlot, requireSlot } from '../graphs/session-tensors.ts';
import { concatChannels, pooledEmbeddings, repeatBatch, toBatch } from './batches.ts';
import { blockSamples, isSingleBlockSample } from './control-residuals.ts';
import type { NetworkInput, NetworkLayout } from './onnx-network.ts';
import { cropToSize, PATCH_SIZE, packTokens, padToEven, unpackTokens } from './packed-tokens.ts';
import { type ReferencePosition, referencePositions } from './reference-latents.ts';

const OUTPUTS = ['out_hidden_states', 'out_sample', 'sample'];

/** Esser et al., "Scaling rectified flow transformers for high-resolution image synthesis", 2024. */
export const sd3Layout: NetworkLayout = {
  outputs: OUTPUTS,
  feeds(input) {
    const hidden = requireSlot(input.session, 'hidden_states');
    const even = padToEven(input.x);
    const [, , height = 0, width = 0] = even.shape;
    return {
      ...sharedFeeds(input),
      ...blockFeeds(input, (height / PATCH_SIZE) * (width / PATCH_SIZE)),
      [hidden.name]: feed(hidden, repeatBatch(even, input.prompts.length)),
    };
  },
  toLatent: (output, x) => cropToSize(output, x),
};

/** Latents go in as tokens of 2 x 2 cells, with their places. */
export const fluxLayout: NetworkLayout = {
  outputs: OUTPUTS,
  feeds(input) {
    const { session, x, prompts } = input;
    const hidden = requireSlot(session, 'hidden_states');
    const even = padToEven(x);
    const [, , height = 0, width = 0] = even.shape;
    const beside = referenceTokens(prompts, x);
    const tokens = beside.after(packTokens(repeatBatch(even, prompts.length)));
    const feeds = {
      ...sharedFeeds(input),
      ...blockFeeds(input, tokens.shape[1]!),
      [hidden.name]: feed(hidden, tokens),
    };
    const places = (name: string, cells: readonly Cell[]) => {
      const slot = findSlot(session.inputs, name);
      if (!slot) return;
      const shape = slot.shape.length === 3 ? [1, cells.length, 3] : [cells.length, 3];
      feeds[slot.name] = feed(slot, { shape, data: Float32Array.from(cells.flat()) });
    };
    places('img_ids', [...cellsOf([height, width], { layer: 0, top: 0, left: 0 }), ...beside.cells]);
    places(
      'txt_ids',
      Array.from({ length: prompts[0]!.tensor.shape[1]! }, () => [0, 0, 0] as const),
    );
    const guidance = findSlot(session.inputs, 'guidance');
    if (guidance) {
      const scales = prompts.map(({ options }) => ({
        shape: [1],
        data: Float32Array.of(Number(options.guidance ?? 3.5)),
      }));
      feeds[guidance.name] = feed(guidance, toBatch(scales, x.shape[0]!));
    }
    return feeds;
  },
  toLatent: (output, x) => cropToSize(unpackTokens(output, x), x),
};

/** A token's layer, row and column. */
type Cell = readonly [layer: number, row: number, column: number];

function cellsOf(
  [height = 0, width = 0]: readonly number[],
  { layer, top, left }: ReferencePosition,
): Cell[] {
  const across = width / PATCH_SIZE;
  return Array.from({ length: (height / PATCH_SIZE) * across }, (_, at) => [
    layer,
    top + Math.floor(at / across),
    left + (at % across),
  ]);
}

/** Of pictures that the network looks at: their tokens go after its own. They are of the same sizes in all prompts. */
function referenceTokens(prompts: NetworkInput['prompts'], x: FloatTensor) {
  const { latents, placing } = prompts[0]?.references ?? { latents: [], placing: 'offset' as const };
  const sizes = latents.map(({ shape }) => [shape[2]!, shape[3]!] as const);
  const found = referencePositions(sizes, placing, [x.shape[2]!, x.shape[3]!]);
  const even = latents.map((_, index) =>
    toBatch(
      prompts.map(({ references }) => padToEven(references!.latents[index]!)),
      x.shape[0]!,
    ),
  );
  return {
    cells: even.flatMap(({ shape }, index) => cellsOf(shape.slice(2), found[index]!)),
    after: (tokens: FloatTensor) => even.reduce((all, one) => concatChannels(all, packTokens(one)), tokens),
  };
}

function sharedFeeds({ session, x, timestep, prompts }: NetworkInput): Record<string, Tensor> {
  const time = requireSlot(session, 'timestep');
  const text = requireSlot(session, 'encoder_hidden_states');
  const pooled = findSlot(session.inputs, 'pooled_projections');
  const batch = x.shape[0]!;
  const times = time.shape.length === 0 || time.shape[0] === 1 ? 1 : batch * prompts.length;
  return {
    [time.name]: feed(time, {
      shape: time.shape.length === 0 ? [] : [times],
      data: new Float32Array(times).fill(timestep),
    }),
    [text.name]: feed(
      text,
      toBatch(
        prompts.map(({ tensor }) => tensor),
        batch,
      ),
    ),
    ...(pooled && { [pooled.name]: feed(pooled, pooledEmbeddings(prompts, batch)) }),
  };
}

/** What control nets add to blocks, [batch, tokens, width] each: zeros where there is none, and for tokens of references. */
function blockFeeds({ session, x, prompts }: NetworkInput, tokens: number): Record<string, Tensor> {
  const slots = blockSamples(session.inputs);
  const added = prompts.find(({ control }) => control)?.control;
  if (slots.length === 0 && added)
    throw new Error(
      "this model's transformer has no inputs for what a control net adds (controlnet_block_samples_0, …): export it with them",
    );
  const doubles = slots.filter(({ name }) => !isSingleBlockSample(name)).length;
  if (added && added.length !== slots.length && added.length !== doubles)
    throw new Error(
      `the control net gives ${added.length} tensors, and the transformer takes ${slots.length}: export it with inputs for this control net's`,
    );
  const batch = x.shape[0]!;
  return Object.fromEntries(
    slots.map((slot, index) => {
      const width = Number(slot.shape.at(-1)) || (added?.[0]?.shape[2] ?? 0);
      const parts = prompts.map(({ control }) => {
        const all = zeros([batch, tokens, width]);
        const own = control?.[index];
        if (!own) return all;
        const size = own.data.length / batch;
        for (let i = 0; i < batch; i++)
          all.data.set(own.data.subarray(i * size, (i + 1) * size), i * tokens * width);
        return all;
      });
      return [slot.name, feed(slot, toBatch(parts, batch))];
    }),
  );
}
