import type { VaeModel } from '../../../values/image-models.ts';
import { type FrameGraphs, videoVae } from '../../vae/video-vae.ts';
import type { WeightFileGraphs } from '../../weight-files/weight-file-graphs.ts';
import { renamed } from '../../weight-files/weight-table.ts';
import type { KnownAutoencoder } from '../autoencoders/recognize-autoencoder.ts';
import type { Frames } from './causal-convolution.ts';
import { wanDecoderGraph, wanEncoderGraph } from './wan-vae-graph.ts';

/** The autoencoder of Wan 2.1 and Qwen-Image in an open file. */
export function wanVae(
  graphs: WeightFileGraphs,
  { weights, latentChannels, scale }: KnownAutoencoder,
): VaeModel {
  const without = (pattern: RegExp) => renamed(weights, (name) => (pattern.test(name) ? undefined : name));
  const [encoding, decoding] = [without(/^(decoder|conv2)\./), without(/^(encoder|conv1)\./)];
  const graph = (part: string, table: typeof weights, build: typeof wanEncoderGraph): FrameGraphs => {
    const of = (frames: Frames) => graphs.graph(`vae_${part}_${frames}`, table, () => build(table, frames));
    return { image: of('image'), video: of('video') };
  };
  const doublings = [...decoding.keys()].filter((name) => name.endsWith('.time_conv.weight')).length;
  return videoVae({
    encoder: encoding.has('encoder.conv1.weight') ? graph('encoder', encoding, wanEncoderGraph) : undefined,
    decoder: graph('decoder', decoding, wanDecoderGraph),
    latentChannels,
    scale,
    frameScale: 2 ** doublings,
  });
}
