/** Prompts for the models of Wan that follow speech: S2V and HuMo. */
import type { AudioEncoderOutput } from '../../values/audio-encoder.ts';
import type { Conditioning } from '../../values/conditioning.ts';
import { withOptions } from '../../values/conditioning.ts';
import { type FloatTensor, zeros } from '../../values/tensor.ts';
import type { VideoGuides } from '../../values/video-guides.ts';
import { int, link, optional } from '../kernel/inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import {
  bothPrompts,
  encodeFrames,
  framesOf,
  inGrayVideo,
  type VideoSize,
  withFirstFrames,
} from './given-frames.ts';
import { STEPS_OF_FRAME, speechSteps, speechWindows } from './speech-features.ts';
import {
  addReference,
  emptyVideo,
  FRAMES,
  image,
  latentFrames,
  latentShape,
  type Prompts,
  shared,
  sizes,
  withBoth,
} from './wan-inputs.ts';

const [CHANNELS, CELL] = [16, 8];
/** Frames of the video before that S2V sees, and those of their latent. */
const [EARLIER, EARLIER_LATENTS] = [73, 19];
/** The numbers of Whisper large v3 for a frame of HuMo. */
const SILENCE = [8, 5, 1280];

const heard = () => optional(link('AUDIO_ENCODER_OUTPUT'));

/** Guides of which the negative prompt gets zeros. */
const spoken = ({ positive, negative }: Prompts, audio: FloatTensor): Prompts => {
  const withAudio = (prompt: Conditioning, guides: VideoGuides) => withOptions(prompt, { guides });
  return {
    positive: withAudio(positive, { audio }),
    negative: withAudio(negative, { audio: zeros(audio.shape) }),
  };
};

interface SpeechVideo extends VideoSize, Prompts {
  vae: Parameters<typeof encodeFrames>[0];
  batch_size: number;
  audio_encoder_output?: AudioEncoderOutput | undefined;
  ref_image?: FloatTensor | undefined;
  control_video?: FloatTensor | undefined;
  /** Unscaled latents of the frames before the video. */
  motion?: FloatTensor | undefined;
  /** Steps of the audio before the video. */
  offset?: number;
}

async function speechToVideo(
  {
    vae,
    batch_size,
    audio_encoder_output,
    ref_image,
    control_video,
    motion,
    offset = 0,
    ...values
  }: SpeechVideo,
  signal: AbortSignal,
) {
  const shape = latentShape(values, CHANNELS, CELL);
  const audio = audio_encoder_output && speechSteps(audio_encoder_output, { frames: shape[1]!, offset });
  const prompts = audio ? spoken(values, audio) : values;
  const subject =
    ref_image && (await encodeFrames(vae, framesOf(ref_image, { ...values, length: 1 }), signal));
  let control = emptyVideo(shape);
  if (control_video)
    control = withFirstFrames(control, await encodeFrames(vae, framesOf(control_video, values), signal));
  const guides = { control, ...(motion && { motion }) };
  const both = withBoth(prompts, (own) => ({ guides, ...(subject && addReference(subject)(own)) }));
  return [...both, { samples: zeros([batch_size, ...shape]) }];
}

/** The last frames of a latent. */
function lastFrames({ shape, data }: FloatTensor, most: number): FloatTensor {
  const [batch = 1, channels = 1, frames = 1, height = 1, width = 1] = shape;
  const count = Math.min(most, frames);
  const size = height * width;
  const result = zeros([batch, channels, count, height, width]);
  for (let plane = 0; plane < batch * channels; plane++)
    result.data.set(
      data.subarray((plane * frames + frames - count) * size, (plane + 1) * frames * size),
      plane * count * size,
    );
  return result;
}

const soundToVideo = node({
  ...shared,
  name: 'WanSoundImageToVideo',
  description:
    'Adds speech, an image of the subject, a video to follow and earlier frames to prompts, for Wan 2.2 S2V.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    ...sizes(77),
    audio_encoder_output: heard(),
    ref_image: image(),
    control_video: image(),
    ref_motion: image(),
  },
  async run({ ref_motion, ...values }, { signal }) {
    if (!ref_motion) return speechToVideo(values, signal);
    const size = { ...values, length: EARLIER };
    const frames = inGrayVideo(size, undefined, framesOf(ref_motion, size, 'end'));
    const motion = lastFrames(await encodeFrames(values.vae, frames, signal), EARLIER_LATENTS);
    return speechToVideo({ ...values, motion }, signal);
  },
});

const extendedVideo = node({
  ...shared,
  name: 'WanSoundImageToVideoExtend',
  description: 'Continues the latent of a video that follows speech, for Wan 2.2 S2V.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    length: int({ default: 77, min: 1, max: 16384, step: FRAMES }),
    video_latent: link('LATENT'),
    audio_encoder_output: heard(),
    ref_image: image(),
    control_video: image(),
  },
  run({ video_latent: { samples }, ...values }, { signal }) {
    const [batch_size = 1, , frames = 1, height = 1, width = 1] = samples.shape;
    if (samples.shape.length !== 5)
      throw new TypeError(
        `the video latent is [${samples.shape.join(', ')}]: link that of WanSoundImageToVideo, after a sampler`,
      );
    const motion = lastFrames(samples, EARLIER_LATENTS);
    const size = { batch_size, width: width * CELL, height: height * CELL };
    return speechToVideo({ ...values, ...size, motion, offset: frames * STEPS_OF_FRAME }, signal);
  },
});

const humo = node({
  ...shared,
  name: 'WanHuMoImageToVideo',
  experimental: true,
  description: 'Adds speech and an image of the subject to prompts, for HuMo.',
  inputs: {
    ...bothPrompts(),
    vae: link('VAE'),
    ...sizes(97),
    audio_encoder_output: heard(),
    ref_image: image(),
  },
  async run({ vae, batch_size, audio_encoder_output, ref_image, ...values }, { signal }) {
    const shape = latentShape(values, CHANNELS, CELL);
    const frames = latentFrames(values.length);
    const audio = audio_encoder_output
      ? speechWindows(audio_encoder_output, frames)
      : zeros([1, frames, ...SILENCE]);
    const prompts = spoken(values, audio);
    const nothing = zeros([1, CHANNELS, 1, ...shape.slice(2)]);
    const subject = ref_image
      ? await encodeFrames(vae, framesOf(ref_image, { ...values, length: 1 }), signal)
      : nothing;
    return [
      withOptions(prompts.positive, addReference(subject)),
      withOptions(prompts.negative, addReference(zeros(subject.shape))),
      { samples: zeros([batch_size, ...shape]) },
    ];
  },
});

/** The nodes in the order of `/object_info`. */
export const wanSpeechNodes: AnyNode[] = [soundToVideo, extendedVideo, humo];
