import { concatAlong, repeatBatch, toBatch } from '../../../values/batches.ts';
import { type FloatTensor, zeros } from '../../../values/tensor.ts';
import { feedAll, requireSlot } from '../../graphs/session-tensors.ts';
import type { NetworkInput, NetworkLayout } from '../../networks/onnx-network.ts';
import {
  cellsApart,
  cellsTogether,
  cropToSize,
  PATCH_SIZE,
  packTokens,
  padToEven,
  unpackTokens,
} from '../../networks/packed-tokens.ts';

/** The network has a mark for each of so many images. */
const MAX_REFERENCES = 5;

/** The positions of references follow those of the text, and those of the image follow the references. */
export const omnigen2Layout: NetworkLayout = {
  outputs: ['out_hidden_states'],
  feeds(input) {
    const { session, x, timestep, prompts } = input;
    const text = toBatch(
      prompts.map(({ tensor }) => tensor),
      x.shape[0]!,
    );
    const image = padToEven(x);
    const references = referencesOf(input);
    const count = text.shape[1]!;
    const places: (readonly number[])[] = [];
    let layer = count;
    for (const { shape } of references) {
      places.push(...gridAt(shape, layer));
      layer += Math.max(...tokenSides(shape));
    }
    const isEmpty = references.length === 0;
    const features = Number(requireSlot(session, 'reference_states').shape[2]);
    const own = packed(repeatBatch(image, prompts.length));
    const marks = references.flatMap(({ shape }, at) => gridAt(shape, 0).map(() => at));
    const feeds: Record<string, FloatTensor> = {
      hidden_states: own,
      timestep: { shape: [1], data: Float32Array.of(timestep) },
      encoder_hidden_states: text,
      // A token that does not count stands for no image.
      reference_states: isEmpty
        ? zeros([own.shape[0]!, 1, features])
        : references.map(packed).reduce((all, next) => concatAlong(1, all, next)),
      reference_count: numbers([isEmpty ? 0 : places.length]),
      reference_index: numbers(isEmpty ? [0] : marks),
      img_ids: table(gridAt(image.shape, layer)),
      txt_ids: table(Array.from({ length: count }, (_, at) => [at, at, at])),
      reference_ids: table(isEmpty ? [[0, 0, 0]] : places),
    };
    return feedAll(session, feeds);
  },
  toLatent(output, x) {
    const channels = output.shape[2]! / PATCH_SIZE ** 2;
    return cropToSize(unpackTokens(cellsApart(output, channels), x), x);
  },
};

/** The references of all prompts, one after another in a batch. Throws a `RangeError` when there are too many. */
function referencesOf({ x, prompts }: NetworkInput): FloatTensor[] {
  const [first] = prompts;
  const latents = first?.references?.latents ?? [];
  if (latents.length > MAX_REFERENCES)
    throw new RangeError(
      `OmniGen2 takes up to ${MAX_REFERENCES} reference images, and this prompt has ${latents.length}`,
    );
  return latents.map((_, at) =>
    toBatch(
      prompts.map(({ references }) => padToEven(references!.latents[at]!)),
      x.shape[0]!,
    ),
  );
}

const packed = (latents: FloatTensor): FloatTensor => cellsTogether(packTokens(latents), latents.shape[1]!);

const tokenSides = ([, , height = 0, width = 0]: readonly number[]): [number, number] => [
  height / PATCH_SIZE,
  width / PATCH_SIZE,
];

function gridAt(shape: readonly number[], layer: number): (readonly number[])[] {
  const [rows, columns] = tokenSides(shape);
  return Array.from({ length: rows * columns }, (_, at) => [layer, Math.floor(at / columns), at % columns]);
}

const numbers = (values: readonly number[]): FloatTensor => ({
  shape: [values.length],
  data: Float32Array.from(values),
});

const table = (rows: readonly (readonly number[])[]): FloatTensor => ({
  shape: [rows.length, 3],
  data: Float32Array.from(rows.flat()),
});
