/** Encoding of audio as latents, and decoding of latents. */
import { resample } from '../../audio/resample.ts';
import type { AudioCodec, VaeModel } from '../../values/image-models.ts';
import type { FloatTensor } from '../../values/tensor.ts';
import { link } from '../kernel/inputs.ts';
import { type AnyNode, node, output } from '../kernel/node-type.ts';

const shared = { category: 'latent/audio', module: 'comfy_extras.nodes_audio' } as const;
/** Louder audio than this many standard deviations is made softer. */
const LOUDNESS = 5;
/** The autoencoders of audio take stereo. */
const CHANNELS = 2;

function codecOf({ audio }: VaeModel): AudioCodec {
  if (!audio)
    throw new TypeError(
      'this VAE is one of images: link that of a checkpoint of audio, such as Stable Audio',
    );
  return audio;
}

/** Mono in both channels; of more channels, the first two. */
function toStereo({ shape, data }: FloatTensor): FloatTensor {
  const [batch = 1, channels = 1, length = 0] = shape;
  const result = new Float32Array(batch * CHANNELS * length);
  for (let index = 0; index < batch; index++)
    for (let channel = 0; channel < CHANNELS; channel++) {
      const from = (index * channels + Math.min(channel, channels - 1)) * length;
      result.set(data.subarray(from, from + length), (index * CHANNELS + channel) * length);
    }
  return { shape: [batch, CHANNELS, length], data: result };
}

const encode = node({
  ...shared,
  name: 'VAEEncodeAudio',
  displayName: 'VAE Encode Audio',
  description: 'Encodes audio as latents.',
  inputs: { audio: link('AUDIO', undefined), vae: link('VAE', undefined) },
  outputs: [output('LATENT')],
  async run({ audio, vae }, { signal }) {
    const codec = codecOf(vae);
    const { waveform } = await resample(audio, codec.sampleRate, signal);
    return [{ samples: await codec.encode(toStereo(waveform), signal), type: 'audio' }];
  },
});

const decode = node({
  ...shared,
  name: 'VAEDecodeAudio',
  displayName: 'VAE Decode Audio',
  description: 'Decodes latents to audio. Loud audio is made softer.',
  inputs: { samples: link('LATENT', undefined), vae: link('VAE', undefined) },
  outputs: [output('AUDIO')],
  async run({ samples, vae }, { signal }) {
    const codec = codecOf(vae);
    const waveform = softened(await codec.decode(samples.samples, signal));
    return [{ waveform, sample_rate: codec.sampleRate }];
  },
});

/** Divides each entry of a batch by five times its standard deviation, if that is more than 1. */
function softened({ shape, data }: FloatTensor): FloatTensor {
  const size = data.length / shape[0]!;
  const result = data.slice();
  for (let start = 0; start < data.length; start += size) {
    const part = result.subarray(start, start + size);
    let [sum, squares] = [0, 0];
    for (const value of part) sum += value;
    for (const value of part) squares += (value - sum / size) ** 2;
    const divisor = Math.max(1, LOUDNESS * Math.sqrt(squares / (size - 1)));
    for (let at = 0; at < size; at++) part[at]! /= divisor;
  }
  return { shape, data: result };
}

/** The nodes in the order of `/object_info`. */
export const audioLatentNodes: AnyNode[] = [encode, decode];
