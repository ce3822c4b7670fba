/** Opens the network of a diffusion model, from the folder of a whole model or from a folder of its own. */
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { LatentFormat } from '../../values/latent.ts';
import { MASK_CHANNELS } from '../../values/latent.ts';
import type { JsonConfig, ModelGraph } from '../../values/model-graph.ts';
import type { NetworkKind } from '../../values/network.ts';
import { type ImageModelFolder, numberOr } from '../model-files/image-model-folder.ts';
import { UPSCALER_IMAGE_CHANNELS, upscalerInputs } from '../upscaling/x4-upscaler.ts';
import { vaeConfig } from '../vae/vae-model.ts';
import { readEmbeddingStatistics, unclipInputs, unclipPooled } from '../vision/unclip.ts';
import { residualShapes } from './control-residuals.ts';
import latentColors from './latent-colors.json' with { type: 'json' };
import { networkKind } from './network-kind.ts';
import { type NetworkLayout, onnxNetwork } from './onnx-network.ts';
import { PATCH_SIZE } from './packed-tokens.ts';
import { referenceInputs } from './reference-latents.ts';
import { type SchedulerConfig, samplingFromScheduler } from './scheduler-config.ts';
import { fluxLayout, sd3Layout, withLargestSide } from './transformer-layouts.ts';
import { unetLayout } from './unet-layout.ts';
import { USUAL_LATENTS } from './usual-latents.ts';

/** The folders of a model that may hold its network. '' is the model's folder itself. */
export const NETWORK_FOLDERS = ['unet', 'transformer', ''] as const;

/**
 * Reads configurations only. Rejects for schedules and predictions without a formula here.
 *
 * @param graph the network's graph.
 * @param config the network's own `config.json`.
 * @param model the folder of the whole model, with the configurations of its scheduler and VAE.
 */
export async function openDenoiser(
  graph: ModelGraph,
  config: JsonConfig,
  model: ImageModelFolder,
): Promise<{ model: DiffusionModel; kind: NetworkKind }> {
  const kind = await networkKind(graph);
  const isFlow = kind === 'sd3' || kind === 'flux';
  const scheduler =
    (await model.readJson('scheduler/scheduler_config.json')) ??
    (await model.readJson('scheduler_config.json')) ??
    (isFlow ? { _class_name: 'FlowMatchEulerDiscreteScheduler', shift: 3 } : {});
  const vae = await vaeConfig(model);
  const statistics = () => readEmbeddingStatistics(model);
  return { kind, model: await denoiserOf({ kind, graph, config, scheduler, vae, statistics }) };
}

export interface DenoiserParts {
  kind: NetworkKind;
  graph: ModelGraph;
  /** The network's `config.json`. */
  config: JsonConfig;
  scheduler: SchedulerConfig & JsonConfig;
  /** The autoencoder's `config.json`. Missing fields are those of the kind's usual autoencoder. */
  vae: JsonConfig;
  /** The timestep that means pure noise to a flow network. Default: 1 for Flux, 1000 for the others. */
  flowTime?: number;
  /** Default: that of its kind. */
  layout?: NetworkLayout;
  /** The largest side of a latent, for networks with a table of positions. Undefined: any. */
  largestSide?: number;
  /** The statistics of unCLIP's image embeddings. Undefined: the model cannot have any. */
  statistics?: () => ReturnType<typeof readEmbeddingStatistics>;
}

/** A model from its network and configurations. Rejects for schedules and predictions without a formula here. */
export async function denoiserOf(parts: DenoiserParts): Promise<DiffusionModel> {
  const { kind, graph, config, scheduler } = parts;
  const isFlow = kind === 'sd3' || kind === 'flux';
  const format = latentFormat(kind, config, parts.vae);
  const { channels } = format;
  const inputChannels = numberOr(config.in_channels, 0) / (kind === 'flux' ? PATCH_SIZE ** 2 : 1);
  const addedChannels = kind === 'sd3' || inputChannels === 0 ? 0 : inputChannels - channels;
  const isUpscaler = kind === 'sd' && addedChannels === UPSCALER_IMAGE_CHANNELS;
  const colors = channels !== 4 || isFlow || isUpscaler ? undefined : latentColors[kind];
  const latent = { ...format, ...(colors && { colors }) };
  const imageInputs = await imageInputsFor(parts, isUpscaler, latent);
  const layouts = {
    sd: unetLayout(residualShapes(config)),
    sdxl: unetLayout(residualShapes(config)),
    sd3: sd3Layout,
    flux: fluxLayout,
  };
  return {
    network: onnxNetwork(graph, withLargestSide(parts.layout ?? layouts[kind], parts.largestSide)),
    sampling: samplingFromScheduler(scheduler, parts.flowTime ?? (kind === 'flux' ? 1 : 1000)),
    latent,
    guidance: { preCfg: [], postCfg: [] },
    configs: { kind, config, scheduler },
    ...concatOf(kind, channels, addedChannels),
    ...(imageInputs && { imageInputs }),
  };
}

/** @param added the number of the network's input channels after those of the latent */
function concatOf(kind: NetworkKind, channels: number, added: number): Pick<DiffusionModel, 'concat'> {
  if (kind === 'flux') {
    if (added === channels) return { concat: 'scaled image' };
    return added === channels + MASK_CHANNELS ? { concat: 'scaled image and mask' } : {};
  }
  if (added === channels + 1) return { concat: 'mask and image' };
  return added === channels ? { concat: 'image' } : {};
}

function latentFormat(kind: NetworkKind, config: JsonConfig, vae: JsonConfig): LatentFormat {
  const usual = USUAL_LATENTS[kind];
  // The channels of Flux are those of a token, which stands for 2 x 2 latent cells.
  const features = numberOr(config.out_channels, numberOr(config.in_channels, 64));
  const channels = kind === 'flux' ? features / PATCH_SIZE ** 2 : usual.channels;
  return {
    channels: numberOr(vae.latent_channels, channels),
    scaleFactor: numberOr(vae.scaling_factor, usual.scaleFactor),
    shiftFactor: numberOr(vae.shift_factor, usual.shiftFactor),
    ...statisticsOf(vae),
  };
}

function statisticsOf({ latents_mean: means, latents_std: deviations }: JsonConfig) {
  if (!Array.isArray(means) || !Array.isArray(deviations)) return {};
  return { statistics: { means: means.map(Number), deviations: deviations.map(Number) } };
}

/** The conversion of a prompt's images for a network. Undefined when the network takes none. */
async function imageInputsFor(
  { kind, graph, statistics }: DenoiserParts,
  isUpscaler: boolean,
  latent: LatentFormat,
): Promise<DiffusionModel['imageInputs']> {
  if (kind === 'flux') return referenceInputs(latent);
  if (kind === 'sdxl') return unclipPooled;
  if (isUpscaler) return upscalerInputs;
  if (kind !== 'sd' || !statistics) return undefined;
  const { inputs } = await graph.source.outline();
  return inputs.includes('class_labels') ? unclipInputs(await statistics()) : undefined;
}
