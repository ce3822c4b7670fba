/** The inputs of UNets for what a prompt says apart from its text: images, and how they move. */
import { ModelUnsupported } from '#core/host';
import type { DiffusionModel } from '../../../values/diffusion-model.ts';
import { decodeFloats } from '../../graphs/stored-floats.ts';
import { levelEmbedding } from '../../vision/noise-augmentation.ts';
import { unclipInputs } from '../../vision/unclip.ts';
import type { WeightTable } from '../../weight-files/weight-table.ts';
import type { ReadTensor } from '../read-training.ts';
import type { UnetImages } from '../recognize.ts';

type ImageInputs = NonNullable<DiffusionModel['imageInputs']>;

/** The widths of the embeddings of numbers, and of angles. */
const [NUMBER_WIDTH, ANGLE_WIDTH] = [256, 512];
/** Prompts without numbers of their own. */
const USUAL = { frameRate: 6, motion: 127, augmentation: 0 };

const row = (...parts: readonly Float32Array[]): number[] => parts.flatMap((part) => [...part]);
const rows = (each: readonly number[][]) => ({
  classLabels: { shape: [each.length, each[0]!.length], data: Float32Array.from(each.flat()) },
});
const number = (value: number) => levelEmbedding(value, NUMBER_WIDTH);
const angle = (degrees: number) =>
  levelEmbedding(Math.fround(((degrees % 360) * Math.PI) / 180), ANGLE_WIDTH);

/** Frames per second minus 1, the amount of motion, and the noise of the image (Stable Video Diffusion, appendix D). */
const videoInputs: ImageInputs = ({ video }) => {
  const { frameRate, motion, augmentation } = { ...USUAL, ...video };
  return rows([row(number(frameRate - 1), number(motion), number(augmentation))]);
};

/** SV3D (Voleti et al., 2024, section 3): a camera that turns around an object. */
const turntableInputs: ImageInputs = ({ video }) =>
  rows([row(number(video?.augmentation ?? USUAL.augmentation))]);

/** The camera of each frame. */
const orbitInputs: ImageInputs = ({ video = {} }) => {
  const { augmentation = USUAL.augmentation, elevations = [0], azimuths = [0] } = video;
  return rows(
    azimuths.map((azimuth, frame) =>
      row(number(augmentation), angle(90 - (elevations[frame] ?? 0)), angle(azimuth)),
    ),
  );
};

/** Lotus (He et al., 2024, section 3): its first task, as sines and cosines of 1 and 0. */
const depthInputs: ImageInputs = () => rows([[Math.sin(1), 0, Math.cos(1), 1]]);

const INPUTS = { video: videoInputs, turntable: turntableInputs, orbit: orbitInputs, depth: depthInputs };

/** @param all all tensors of the network's file */
export async function unetImageInputs(
  images: UnetImages,
  all: WeightTable,
  read: ReadTensor,
): Promise<ImageInputs> {
  if (images !== 'unclip') return INPUTS[images];
  const numbers = async (name: string) => {
    const tensor = all.get(`noise_augmentor.${name}`);
    if (!tensor)
      throw new ModelUnsupported(
        `this Stable unCLIP lacks noise_augmentor.${name}, the statistics of its image embeddings: take the complete checkpoint`,
      );
    return decodeFloats(await read(tensor), tensor.type);
  };
  return unclipInputs({ mean: await numbers('data_mean'), std: await numbers('data_std') });
}
