/** The network of a diffusion model with how it was trained: from a whole model's folder or one of its own. */
import type { ModelPatch } from '../values/sampling.ts';
import type { Graph } from './graph.ts';
import latentColours from './latent-colours.json' with { type: 'json' };
import { type Json, type ModelFolder, numberOr } from './model-folder.ts';
import { onnxNetwork } from './network.ts';
import { kindOf, type NetworkKind } from './network-kind.ts';
import { residualShapes } from './residuals.ts';
import { type SchedulerConfig, samplingOf } from './scheduler-config.ts';
import { fluxLayout, sd3Layout } from './transformer.ts';
import { unetLayout } from './unet.ts';

/** Folders of a model in which its network lies; '' is the folder itself. */
export const NETWORK_FOLDERS = ['unet', 'transformer', ''] as const;

interface LatentFacts {
  channels: number;
  scale: number;
  shift: number;
}

/** What models of a kind have where nothing else is said. */
const LATENTS: Record<NetworkKind, LatentFacts> = {
  sd: { channels: 4, scale: 0.18215, shift: 0 },
  sdxl: { channels: 4, scale: 0.13025, shift: 0 },
  sd3: { channels: 16, scale: 1.5305, shift: 0.0609 },
  flux: { channels: 16, scale: 0.3611, shift: 0.1159 },
};

/**
 * `graph`: the network's. `config`: its own configuration. `model`: the folder of the whole, where the configurations of
 * scheduler and autoencoder are looked for. Throws for what there is no formula for here.
 */
export async function openDenoiser(
  graph: Graph,
  config: Json,
  model: ModelFolder,
): Promise<{ model: ModelPatch; kind: NetworkKind }> {
  const kind = await kindOf(graph);
  const scheduler = ((await model.json('scheduler/scheduler_config.json')) ??
    (await model.json('scheduler_config.json'))) as SchedulerConfig | undefined;
  const vae = (await model.json('vae_decoder/config.json')) ?? (await model.json('vae/config.json')) ?? {};
  const usual = LATENTS[kind];
  const isFlow = kind === 'sd3' || kind === 'flux';
  // Flux is told of a patch of 2 x 2 cells as the channels of one token.
  const told = kind === 'flux' ? numberOr(config.in_channels, 64) / 4 : usual.channels;
  const channels = numberOr(vae.latent_channels, told);
  const further = isFlow ? 0 : numberOr(config.in_channels, channels) - channels;
  const colours = channels !== 4 || isFlow ? undefined : latentColours[kind];
  const layout = {
    sd: unetLayout(residualShapes(config)),
    sdxl: unetLayout(residualShapes(config)),
    sd3: sd3Layout,
    flux: fluxLayout,
  };
  return {
    kind,
    model: {
      network: onnxNetwork(graph, layout[kind]),
      sampling: samplingOf(
        scheduler ?? (isFlow ? { _class_name: 'FlowMatch', shift: 3 } : {}),
        kind === 'flux' ? 1 : 1000,
      ),
      latent: {
        channels,
        scaleFactor: numberOr(vae.scaling_factor, usual.scale),
        shiftFactor: numberOr(vae.shift_factor, usual.shift),
        ...(colours && { colours }),
      },
      guidance: { before: [], after: [] },
      // A mask and a picture, or a picture alone.
      ...(further === channels + 1 && { concat: 'mask and picture' as const }),
      ...(further === channels && { concat: 'picture' as const }),
    },
  };
}
