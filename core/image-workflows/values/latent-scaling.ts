/** The scale between latents as autoencoders make them and as networks see them. */
import type { LatentFormat } from './latent.ts';
import { pairFrames, unpairFrames } from './paired-frames.ts';
import type { FloatTensor } from './tensor.ts';

/** Samples of an autoencoder, [batch, channels, …], as the network sees them. The result is a new tensor. */
export function scaleLatent(samples: FloatTensor, format: LatentFormat): FloatTensor {
  const scaled = eachChannel(samples, (channel) => {
    const { shift, scale, deviation } = channelScale(format, channel);
    return (value) => ((value - shift) * scale) / deviation;
  });
  return format.pairsFrames ? pairFrames(scaled) : scaled;
}

/** Reverts `scaleLatent`. */
export const unscaleLatent = (samples: FloatTensor, format: LatentFormat): FloatTensor =>
  eachChannel(format.pairsFrames ? unpairFrames(samples) : samples, (channel) => {
    const { shift, scale, deviation } = channelScale(format, channel);
    return (value) => (value * deviation) / scale + shift;
  });

function channelScale({ scaleFactor, shiftFactor, statistics }: LatentFormat, channel: number) {
  const { means, deviations } = statistics ?? { means: [], deviations: [] };
  return {
    shift: shiftFactor + (means[channel] ?? 0),
    scale: scaleFactor,
    deviation: deviations[channel] ?? 1,
  };
}

function eachChannel(
  { shape, data }: FloatTensor,
  changeOf: (channel: number) => (value: number) => number,
): FloatTensor {
  const [batch = 1, channels = 1] = shape;
  const cells = data.length / (batch * channels);
  const changes = Array.from({ length: channels }, (_, channel) => changeOf(channel));
  const result = new Float32Array(data.length);
  for (let plane = 0; plane < batch * channels; plane++) {
    const change = changes[plane % channels]!;
    for (let at = plane * cells; at < (plane + 1) * cells; at++) result[at] = change(data[at]!);
  }
  return { shape, data: result };
}
