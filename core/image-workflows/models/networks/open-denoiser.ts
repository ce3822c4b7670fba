import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { JsonObject, ModelGraph } from '../../values/model-graph.ts';
import type { NetworkKind } from '../../values/network.ts';
import { samplingFromScheduler } from '../checkpoints/scheduler-config.ts';
import { type ModelFolder, numberOr } from '../model-files/model-folder.ts';
import { vaeConfig } from '../vae/vae-model.ts';
import { readEmbeddingStatistics, unclipInputs, unclipPooled } from '../vision/unclip.ts';
import { UPSCALER_IMAGE_CHANNELS, upscalerInputs } from '../vision/x4-upscaler.ts';
import { residualShapes } from './control-residuals.ts';
import latentColours from './latent-colours.json' with { type: 'json' };
import { networkKind } from './network-kind.ts';
import { onnxNetwork } from './onnx-network.ts';
import { referenceInputs } from './reference-latents.ts';
import { fluxLayout, sd3Layout } from './transformer-layouts.ts';
import { unetLayout } from './unet-layout.ts';

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
  graph: ModelGraph,
  config: JsonObject,
  model: ModelFolder,
): Promise<{ model: DiffusionModel; kind: NetworkKind }> {
  const kind = await networkKind(graph);
  const isFlow = kind === 'sd3' || kind === 'flux';
  const scheduler =
    (await model.json('scheduler/scheduler_config.json')) ??
    (await model.json('scheduler_config.json')) ??
    (isFlow ? { _class_name: 'FlowMatchEulerDiscreteScheduler', shift: 3 } : {});
  const vae = await vaeConfig(model);
  const usual = LATENTS[kind];
  // Flux is told of a patch of 2 x 2 cells as the channels of one token.
  const told = kind === 'flux' ? numberOr(config.in_channels, 64) / 4 : usual.channels;
  const channels = numberOr(vae.latent_channels, told);
  const further = isFlow ? 0 : numberOr(config.in_channels, channels) - channels;
  const enlarges = kind === 'sd' && further === UPSCALER_IMAGE_CHANNELS;
  const colours = channels !== 4 || isFlow || enlarges ? undefined : latentColours[kind];
  const latent = {
    channels,
    scaleFactor: numberOr(vae.scaling_factor, usual.scale),
    shiftFactor: numberOr(vae.shift_factor, usual.shift),
    ...(colours && { colours }),
  };
  const pictures = await picturesOf(kind, enlarges, graph, model, latent);
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
      sampling: samplingFromScheduler(scheduler, kind === 'flux' ? 1 : 1000),
      latent,
      guidance: { preCfg: [], postCfg: [] },
      configs: { kind, config, scheduler },
      // A mask and a picture, or a picture alone.
      ...(further === channels + 1 && { concat: 'mask and image' as const }),
      ...(further === channels && { concat: 'image' as const }),
      ...(pictures && { imageInputs: pictures }),
    },
  };
}

/** What a network of a kind takes of a prompt's pictures. undefined: nothing. */
async function picturesOf(
  kind: NetworkKind,
  enlarges: boolean,
  graph: ModelGraph,
  model: ModelFolder,
  latent: DiffusionModel['latent'],
): Promise<DiffusionModel['imageInputs']> {
  if (kind === 'flux') return referenceInputs(latent);
  if (kind === 'sdxl') return unclipPooled;
  if (enlarges) return upscalerInputs;
  const { inputs } = await graph.source.outline();
  if (kind !== 'sd' || !inputs.includes('class_labels')) return undefined;
  return unclipInputs(await readEmbeddingStatistics(model));
}
