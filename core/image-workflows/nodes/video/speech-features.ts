/** The output of an encoder of speech in the times of a video. */
import { roundHalfEven } from '../../images/rounding.ts';
import type { AudioEncoderOutput } from '../../values/audio-encoder.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';

/** Steps of the encoders for each second. */
const ENCODER_RATE = 50;

/** S2V: steps of each second before and after frames are chosen, and the frames of the video. */
const [STEP_RATE, FRAME_RATE] = [30, 16];
/** S2V chooses so many steps for each frame of the latent. */
export const STEPS_OF_FRAME = 4;

/** HuMo: frames of each second, and samples of 16 kHz for each. */
const [HUMO_RATE, HUMO_SAMPLES] = [25, 640];
/** HuMo hears the means of so many layers, and the last one. */
const [LAYERS_OF_MEAN, MEANS] = [8, 4];
/** Frames that HuMo hears for each frame of the latent, and how many of them lie before and after. */
const [WINDOW, AROUND] = [8, 2];

/** Linear interpolation of [steps, width] to another number of steps. The first and the last stay. */
function interpolated(values: Float32Array, steps: number, width: number, count: number): Float32Array {
  const result = new Float32Array(count * width);
  for (let at = 0; at < count; at++) {
    const place = count === 1 ? 0 : (at * (steps - 1)) / (count - 1);
    const first = Math.min(Math.floor(place), steps - 1);
    const second = Math.min(first + 1, steps - 1);
    const share = place - first;
    for (let column = 0; column < width; column++)
      result[at * width + column] =
        values[first * width + column]! * (1 - share) + values[second * width + column]! * share;
  }
  return result;
}

export interface SpeechPart {
  /** Frames of the latent. */
  frames: number;
  /** Steps before the first. */
  offset: number;
}

/**
 * For Wan S2V: [1, layers, width, 4 · frames]. Steps after the end of the audio are zeros. Undefined: the part begins after
 * the audio and the silence that fills up its last part.
 */
export function speechSteps(
  { layers }: AudioEncoderOutput,
  { frames, offset }: SpeechPart,
): FloatTensor | undefined {
  const [count = 1, batch = 1, own = 1, width = 1] = layers.shape;
  const steps = Math.floor((own / ENCODER_RATE) * STEP_RATE);
  const requested = frames * STEPS_OF_FRAME;
  const scale = STEP_RATE / FRAME_RATE;
  const parts = Math.floor(steps / (requested * scale)) + 1;
  const length = Math.min(requested, parts * requested - offset);
  if (length <= 0) return undefined;
  const rows = count * batch;
  const result = zeros([1, rows, width, length]);
  for (let row = 0; row < rows; row++) {
    const plane = layers.data.subarray(row * own * width, (row + 1) * own * width);
    const values = interpolated(plane, own, width, steps);
    for (let at = 0; at < length; at++) {
      const step = roundHalfEven((offset + at) * scale);
      if (step >= steps) continue;
      for (let column = 0; column < width; column++)
        result.data[(row * width + column) * length + at] = values[step * width + column]!;
    }
  }
  return result;
}

/**
 * For HuMo: the audio around each frame of the latent, [1, frames, 8, 5, width]. Frames outside of the audio are zeros.
 * @throws TypeError for another encoder than Whisper large v3
 */
export function speechWindows({ layers, samples }: AudioEncoderOutput, frames: number): FloatTensor {
  const [count = 1, , own = 1, width = 1] = layers.shape;
  if (count !== LAYERS_OF_MEAN * MEANS + 1)
    throw new TypeError(
      `HuMo takes the ${LAYERS_OF_MEAN * MEANS} layers of Whisper large v3, and this audio encoder has ${count - 1}`,
    );
  const steps = Math.min(own, Math.floor(samples / HUMO_SAMPLES) * (ENCODER_RATE / HUMO_RATE));
  const heard = Math.floor((steps / ENCODER_RATE) * HUMO_RATE);
  const features = Array.from({ length: MEANS + 1 }, (_, at) =>
    interpolated(meanOfLayers(layers, at, steps), steps, width, heard),
  );
  const result = zeros([1, frames, WINDOW, features.length, width]);
  for (let frame = 0; frame < frames; frame++)
    for (let place = 0; place < WINDOW; place++) {
      // The first frame of the latent is one of the video, and has three empty places before it.
      const isEmpty = frame === 0 && place < WINDOW - 2 * AROUND - 1;
      const step = frame === 0 ? place - (WINDOW - AROUND - 1) : 1 + 4 * (frame - 1) - AROUND + place;
      if (isEmpty || step < 0 || step >= heard) continue;
      for (const [at, values] of features.entries())
        result.data.set(
          values.subarray(step * width, (step + 1) * width),
          ((frame * WINDOW + place) * features.length + at) * width,
        );
    }
  return result;
}

/** The mean of the layers of a group, or the last layer after all groups: [steps, width]. */
function meanOfLayers({ shape, data }: FloatTensor, group: number, steps: number): Float32Array {
  const [, batch = 1, own = 1, width = 1] = shape;
  const layers = group < MEANS ? LAYERS_OF_MEAN : 1;
  const result = new Float32Array(steps * width);
  for (let layer = 0; layer < layers; layer++) {
    const start = (group * LAYERS_OF_MEAN + layer) * batch * own * width;
    for (const [at, value] of data.subarray(start, start + result.length).entries())
      result[at]! += value / layers;
  }
  return result;
}
