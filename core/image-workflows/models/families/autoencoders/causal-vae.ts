import type { VaeModel } from '../../../values/image-models.ts';
import { type FrameGraphs, videoVae } from '../../vae/video-vae.ts';
import type { WeightFileGraphs } from '../../weight-files/weight-file-graphs.ts';
import { renamed, type WeightTable } from '../../weight-files/weight-table.ts';
import { hunyuanDecoderGraph, hunyuanEncoderGraph } from '../hunyuan-vae/hunyuan-vae-graph.ts';
import { ltxvDecoderGraph, ltxvEncoderGraph } from '../ltxv-vae/ltxv-vae-graph.ts';
import { mochiDecoderGraph, mochiEncoderGraph } from '../mochi-vae/mochi-vae-graph.ts';
import type { KnownAutoencoder } from './recognize-autoencoder.ts';

type Build = (weights: WeightTable) => Uint8Array<ArrayBuffer>;

interface CausalLayout {
  encoder: Build;
  decoder: Build;
  /** Frames of a video for each frame of a latent, but the first. */
  frameScale(weights: WeightTable): number;
}

/** Autoencoders of videos that have one graph for any number of frames. */
export const CAUSAL_LAYOUTS: Readonly<Record<'ltxv' | 'hunyuan' | 'mochi', CausalLayout>> = {
  ltxv: {
    encoder: ltxvEncoderGraph,
    decoder: ltxvDecoderGraph,
    frameScale: (weights) =>
      2 ** [...weights.keys()].filter((name) => /^decoder\..*\.conv\.conv\.weight$/.test(name)).length,
  },
  hunyuan: { encoder: hunyuanEncoderGraph, decoder: hunyuanDecoderGraph, frameScale: () => 4 },
  mochi: { encoder: mochiEncoderGraph, decoder: mochiDecoderGraph, frameScale: () => 6 },
};

/** Such an autoencoder in an open file. */
export const causalVae =
  (layout: keyof typeof CAUSAL_LAYOUTS) =>
  (graphs: WeightFileGraphs, { weights, latentChannels, scale }: KnownAutoencoder): VaeModel => {
    const { encoder, decoder, frameScale } = CAUSAL_LAYOUTS[layout];
    const graph = (part: string, other: string, build: Build): FrameGraphs => {
      const table = renamed(weights, (name) => (name.startsWith(`${other}.`) ? undefined : name));
      const built = graphs.graph(`vae_${part}`, table, () => build(table));
      return { image: built, video: built };
    };
    const hasEncoder = [...weights.keys()].some((name) => name.startsWith('encoder.'));
    return videoVae({
      encoder: hasEncoder ? graph('encoder', 'decoder', encoder) : undefined,
      decoder: graph('decoder', 'encoder', decoder),
      latentChannels,
      scale,
      frameScale: frameScale(weights),
    });
  };
