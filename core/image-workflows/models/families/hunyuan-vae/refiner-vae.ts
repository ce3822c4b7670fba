import type { VaeModel } from '../../../values/image-models.ts';
import { type FrameGraphs, videoVae } from '../../vae/video-vae.ts';
import type { WeightFileGraphs } from '../../weight-files/weight-file-graphs.ts';
import { renamed } from '../../weight-files/weight-table.ts';
import type { KnownAutoencoder } from '../autoencoders/recognize-autoencoder.ts';
import { type FrameKind, refinerDecoderGraph, refinerEncoderGraph } from './hunyuan-refiner-vae-graph.ts';

/** Frames of a video for each frame of a latent, but the first. */
const FRAMES = 4;

/** The autoencoder of Hunyuan Image's refiner and of Hunyuan Video 1.5 in an open file. */
export function refinerVae(
  graphs: WeightFileGraphs,
  { weights, latentChannels, scale }: KnownAutoencoder,
): VaeModel {
  const without = (part: string) =>
    renamed(weights, (name) => (name.startsWith(`${part}.`) ? undefined : name));
  const graph = (part: string, other: string, build: typeof refinerEncoderGraph): FrameGraphs => {
    const table = without(other);
    const of = (kind: FrameKind) => graphs.graph(`vae_${part}_${kind}`, table, () => build(table, kind));
    return { image: of('image'), video: of('video') };
  };
  const hasEncoder = weights.has('encoder.conv_in.conv.weight');
  return videoVae({
    encoder: hasEncoder ? graph('encoder', 'decoder', refinerEncoderGraph) : undefined,
    decoder: graph('decoder', 'encoder', refinerDecoderGraph),
    latentChannels,
    scale,
    frameScale: FRAMES,
  });
}
