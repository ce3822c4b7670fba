/** The inputs and outputs of the transformers of Stable Diffusion 3 and Flux, in the diffusers layout. */
import type { Tensor, TensorSlot } from '#core/host';
import { concatChannels, repeatBatch, toBatch } from '../../values/batches.ts';
import { CELL_SIDE } from '../../values/latent.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { feed, findSlot, requireSlot } from '../graphs/session-tensors.ts';
import type { NetworkInput, NetworkLayout } from './onnx-network.ts';
import { cropToSize, PATCH_SIZE, packTokens, padToEven, unpackTokens } from './packed-tokens.ts';
import { pooledEmbeddings } from './pooled-embeddings.ts';
import { type ReferencePosition, referencePositions } from './reference-latents.ts';
import { residualFeeds } from './transformer-residuals.ts';

const OUTPUTS = ['out_hidden_states', 'out_sample', 'sample'];
/** Flux's usual guidance scale, for prompts that set none. */
const USUAL_GUIDANCE = 3.5;

/** Esser et al., "Scaling rectified flow transformers for high-resolution image synthesis", 2024. */
export const sd3Layout: NetworkLayout = {
  outputs: OUTPUTS,
  feeds(input) {
    const hidden = requireSlot(input.session, 'hidden_states');
    const padded = padToEven(input.x);
    const [, , height = 0, width = 0] = padded.shape;
    return {
      ...sharedFeeds(input),
      ...residualFeeds(input, (height / PATCH_SIZE) * (width / PATCH_SIZE)),
      [hidden.name]: feed(hidden, repeatBatch(padded, input.prompts.length)),
    };
  },
  toLatent: (output, x) => cropToSize(output, x),
};

/** The layout for latents of limited height and width. Larger ones are refused. */
export const withLargestSide = (layout: NetworkLayout, largest: number | undefined): NetworkLayout =>
  largest === undefined
    ? layout
    : {
        ...layout,
        feeds(input) {
          const side = Math.max(...input.x.shape.slice(2));
          if (side > largest)
            throw new RangeError(
              `this model has positions for images of at most ${largest * CELL_SIDE} pixels along each side, and this one has ${side * CELL_SIDE}: choose a smaller size`,
            );
          return layout.feeds(input);
        },
      };

/** Where variants of Flux place tokens. */
export interface FluxPlaces {
  /** The tokens of a text count on in rows and columns. Default: all are at 0. */
  countsText?: boolean;
  /** Images begin in layer 1, in the row and column after those of the text. Default: at 0. */
  isAfterText?: boolean;
}

/** Flux takes latents as tokens of 2 x 2 cells with their positions. The tokens of references follow them. */
export const fluxLayoutOf = ({ countsText, isAfterText }: FluxPlaces): NetworkLayout => ({
  outputs: OUTPUTS,
  feeds(input) {
    const { session, x, prompts } = input;
    const hidden = requireSlot(session, 'hidden_states');
    const padded = padToEven(x);
    const references = referenceTokens(prompts, x);
    const tokens = references.appendTo(packTokens(withImages(repeatBatch(padded, prompts.length), input)));
    const images = [
      { sides: padded.shape.slice(2), position: { layer: 0, top: 0, left: 0 } },
      ...references.places,
    ];
    const positions = images.flatMap(({ sides, position }) => positionsOf(sides, position));
    const texts = textPositions(input);
    const counted = texts.map((_, at): Position => [0, at, at]);
    const end = texts.length;
    const moved = positions.map(([layer, row, column]): Position => [layer + 1, row + end, column + end]);
    return {
      ...sharedFeeds(input),
      ...residualFeeds(input, tokens.shape[1]!),
      [hidden.name]: feed(hidden, tokens),
      ...positionFeed(input, 'img_ids', isAfterText ? moved : positions),
      ...positionFeed(input, 'txt_ids', countsText ? counted : texts),
      ...guidanceFeed(input),
    };
  },
  toLatent: (output, x) => cropToSize(unpackTokens(output, x), x),
});

export const fluxLayout = fluxLayoutOf({});

/** The latents of all prompts, followed by the channels of the image to edit. */
function withImages(latents: FloatTensor, { x, prompts }: NetworkInput): FloatTensor {
  const images = prompts.flatMap(({ concat }) => (concat ? [padToEven(concat)] : []));
  return images.length === 0 ? latents : concatChannels(latents, toBatch(images, x.shape[0]!));
}

/** The position of a token. */
type Position = readonly [layer: number, row: number, column: number];

/** The positions of all tokens of a latent with this height and width, row by row. @param patch the side of a token */
export function positionsOf(
  [height = 0, width = 0]: readonly number[],
  { layer, top, left }: ReferencePosition,
  patch = PATCH_SIZE,
): Position[] {
  const across = width / patch;
  return Array.from({ length: (height / patch) * across }, (_, index) => [
    layer,
    top + Math.floor(index / across),
    left + (index % across),
  ]);
}

/** Tokens of texts have no place. */
export const textPositions = ({ prompts }: NetworkInput): Position[] =>
  Array.from({ length: prompts[0]!.tensor.shape[1]! }, () => [0, 0, 0] as const);

/** Older exports take positions as [1, tokens, 3], newer ones as [tokens, 3]. */
export function positionFeed(
  { session }: NetworkInput,
  name: string,
  positions: readonly Position[],
): Record<string, Tensor> {
  const slot = findSlot(session.inputs, name);
  if (!slot) return {};
  const shape = slot.shape.length === 3 ? [1, positions.length, 3] : [positions.length, 3];
  return { [slot.name]: feed(slot, { shape, data: Float32Array.from(positions.flat()) }) };
}

/** The guidance scale of each prompt, for networks that take it. */
export function guidanceFeed({ session, x, prompts }: NetworkInput): Record<string, Tensor> {
  const slot = findSlot(session.inputs, 'guidance');
  if (!slot) return {};
  const scales = prompts.map(({ options }) => ({
    shape: [1],
    data: Float32Array.of(Number(options.guidance ?? USUAL_GUIDANCE)),
  }));
  return { [slot.name]: feed(slot, toBatch(scales, x.shape[0]!)) };
}

/** The tokens of reference latents. Prompts of one batch have references of equal sizes. */
export function referenceTokens(prompts: NetworkInput['prompts'], x: FloatTensor) {
  const { latents, placement } = prompts[0]?.references ?? { latents: [], placement: 'offset' as const };
  const sizes = latents.map(({ shape }) => [shape[2]!, shape[3]!] as const);
  const positions = referencePositions(sizes, placement, [x.shape[2]!, x.shape[3]!]);
  const padded = latents.map((_, index) =>
    toBatch(
      prompts.map(({ references }) => padToEven(references!.latents[index]!)),
      x.shape[0]!,
    ),
  );
  return {
    /** Height, width and position of each reference. */
    places: padded.map(({ shape }, index) => ({ sides: shape.slice(2), position: positions[index]! })),
    // For [batch, tokens, features], concatenating along the second axis appends tokens.
    appendTo: (tokens: FloatTensor) =>
      padded.reduce((all, latent) => concatChannels(all, packTokens(latent)), tokens),
  };
}

/** Timestep, text embeddings and pooled embeddings. */
export function sharedFeeds({ session, x, timestep, prompts }: NetworkInput): Record<string, Tensor> {
  const time = requireSlot(session, 'timestep');
  const text = requireSlot(session, 'encoder_hidden_states');
  const pooled = findSlot(session.inputs, 'pooled_projections');
  const batch = x.shape[0]!;
  checkPromptWidth(text, prompts);
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

/** Throws for prompts of another width than the network's, which is a part of its weights. */
export function checkPromptWidth({ shape }: TensorSlot, prompts: NetworkInput['prompts']): void {
  const width = shape.at(-1);
  for (const { tensor } of prompts)
    if (typeof width === 'number' && tensor.shape.at(-1) !== width)
      throw new TypeError(
        `this network takes prompts of ${width} numbers for each token, and this prompt has ${tensor.shape.at(-1)}: load all text encoders of its kind of model, with T5 where it has one`,
      );
}
