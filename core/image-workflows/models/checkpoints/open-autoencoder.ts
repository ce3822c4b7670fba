/** Opens autoencoders in files of weights. Their graphs are built from the names and shapes of the weights. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import type { VaeModel } from '../../values/image-models.ts';
import type { ModelGraph } from '../../values/model-graph.ts';
import { LATENT_ROWS } from '../families/ace-step/ace-step-graph.ts';
import { musicDecoderGraph, musicEncoderGraph } from '../families/ace-step/music-autoencoder-graph.ts';
import { decoderGraph, encoderGraph } from '../families/autoencoders/autoencoder-graph.ts';
import { causalVae } from '../families/autoencoders/causal-vae.ts';
import {
  type AutoencoderLayout,
  type KnownAutoencoder,
  recognizeAutoencoder,
} from '../families/autoencoders/recognize-autoencoder.ts';
import { tinyDecoderGraph, tinyEncoderGraph } from '../families/autoencoders/tiny-autoencoder-graph.ts';
import {
  hunyuanImageDecoderGraph,
  hunyuanImageEncoderGraph,
} from '../families/hunyuan-vae/hunyuan-image-vae-graph.ts';
import { refinerVae } from '../families/hunyuan-vae/refiner-vae.ts';
import { shapeLatentGraph, shapePointGraph } from '../families/hunyuan3d/shape-vae-graph.ts';
import { oobleckDecoderGraph, oobleckEncoderGraph } from '../families/stable-audio/oobleck-graph.ts';
import { stageADecoderGraph, stageAEncoderGraph } from '../families/stable-cascade/stage-a-graph.ts';
import { previewerGraph, stageCEncoderGraph } from '../families/stable-cascade/stage-c-coder-graph.ts';
import { wanVae } from '../families/wan-vae/wan-vae.ts';
import { audioVae } from '../vae/audio-vae.ts';
import { musicSpectrogram } from '../vae/music-spectrogram.ts';
import { shapeVae } from '../vae/shape-vae.ts';
import { vaeModel } from '../vae/vae-model.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { type WeightTable, withoutPrefix } from '../weight-files/weight-table.ts';

/** The beginnings of an autoencoder's names in checkpoints. Some files of autoencoders alone have them, too. */
export const VAE_PREFIXES = ['first_stage_model.', 'vae.', 'pretransform.model.'];

/** Samples of each second. */
const AUDIO_RATE = 44_100;
/** How autoencoders of audio differ. */
const AUDIO_FORMS = {
  oobleck: { emptyLatents: 'EmptyLatentAudio' },
  'oobleck-48k': { emptyLatents: 'EmptyAceStep1.5LatentAudio', sampleRate: 48_000 },
  music: { emptyLatents: 'EmptyAceStepLatentAudio', rows: LATENT_ROWS, heard: musicSpectrogram },
} as const;
/** Latent cells of the frames that are decoded together: four of 1024 x 576 pixels. */
const VIDEO_CELLS = 4 * 128 * 72;

/** The graphs of an autoencoder, and the beginnings of the names that belong to one of them alone. */
interface Builders {
  readonly encoder: readonly [build: GraphBuilding, names: RegExp];
  readonly decoder: readonly [build: GraphBuilding, names: RegExp];
}
type GraphBuilding = (weights: WeightTable) => Uint8Array<ArrayBuffer>;

/** Autoencoders of videos. */
const VIDEO_LAYOUTS = {
  wan: wanVae,
  ltxv: causalVae('ltxv'),
  hunyuan: causalVae('hunyuan'),
  'hunyuan-refiner': refinerVae,
  mochi: causalVae('mochi'),
};

const isVideoLayout = (layout: AutoencoderLayout): layout is keyof typeof VIDEO_LAYOUTS =>
  Object.hasOwn(VIDEO_LAYOUTS, layout);

const OOBLECK: Builders = {
  encoder: [oobleckEncoderGraph, /^encoder\./],
  decoder: [oobleckDecoderGraph, /^decoder\./],
};

const BUILDERS: Readonly<Record<Exclude<AutoencoderLayout, keyof typeof VIDEO_LAYOUTS | 'shape'>, Builders>> =
  {
    kl: { encoder: [encoderGraph, /^encoder\./], decoder: [decoderGraph, /^decoder\./] },
    'hunyuan-image': {
      encoder: [hunyuanImageEncoderGraph, /^encoder\./],
      decoder: [hunyuanImageDecoderGraph, /^decoder\./],
    },
    taesd: {
      encoder: [tinyEncoderGraph, /^taesd_encoder\./],
      decoder: [tinyDecoderGraph, /^taesd_decoder\./],
    },
    music: {
      encoder: [musicEncoderGraph, /^dcae\.encoder\./],
      decoder: [musicDecoderGraph, /^(dcae\.decoder|vocoder)\./],
    },
    oobleck: OOBLECK,
    'oobleck-48k': OOBLECK,
    'stage-a': {
      encoder: [stageAEncoderGraph, /^(in_block|down_blocks)\./],
      decoder: [stageADecoderGraph, /^(out_block|up_blocks)\./],
    },
    'stage-c': {
      encoder: [stageCEncoderGraph, /^(encoder|backbone|mapper)\./],
      decoder: [previewerGraph, /^(previewer|blocks)\./],
    },
  };

/**
 * Reads the file's table only. Rejects with `FileMissing`, `ModelCorrupt` for a damaged file, and `ModelUnsupported` for
 * a file without a known autoencoder.
 */
export async function openAutoencoderFile(host: Host, path: FilePath): Promise<VaeModel> {
  const file = await readWeightFile(host.files, path);
  const inCheckpoint = VAE_PREFIXES.map((prefix) => withoutPrefix(file.table, prefix)).find(
    ({ size }) => size > 0,
  );
  const found = recognizeAutoencoder(inCheckpoint ?? file.table);
  if (found === undefined)
    throw new ModelUnsupported(
      `${file.name} holds no autoencoder that is known here: ${describeContents(file)}`,
    );
  if (typeof found === 'string')
    throw new ModelUnsupported(
      `the autoencoder in ${file.name} is that of ${found}, which does not run here yet: use one of Stable Diffusion, SDXL, Stable Diffusion 3, Flux, Stable Cascade, Wan, Qwen-Image, LTX Video 0.9, Hunyuan Video, Hunyuan Image 2.1, Mochi, Stable Audio, ACE-Step or Hunyuan3D`,
    );
  return openAutoencoder(new WeightFileGraphs(host, file), found);
}

/** An autoencoder in an open file. */
export function openAutoencoder(graphs: WeightFileGraphs, found: KnownAutoencoder): VaeModel {
  const { layout, weights, latentChannels, scale, isVideo } = found;
  if (isVideoLayout(layout)) return VIDEO_LAYOUTS[layout](graphs, found);
  if (layout === 'shape')
    return shapeVae({
      latents: graphs.graph('vae_decoder', weights, () => shapeLatentGraph(weights)),
      points: graphs.graph('vae_points', weights, () => shapePointGraph(weights)),
      latentChannels,
    });
  const part = (name: 'encoder' | 'decoder'): ModelGraph | undefined => {
    const [build, own] = BUILDERS[layout][name];
    const [, other] = BUILDERS[layout][name === 'encoder' ? 'decoder' : 'encoder'];
    if (![...weights.keys()].some((key) => own.test(key))) return undefined;
    const used = new Map([...weights].filter(([key]) => !other.test(key)));
    return graphs.graph(`vae_${name}`, used, () => build(weights));
  };
  const parts = { encoder: part('encoder'), decoder: part('decoder'), latentChannels, scale };
  if (layout === 'oobleck' || layout === 'oobleck-48k' || layout === 'music')
    return audioVae({ ...parts, sampleRate: AUDIO_RATE, ...AUDIO_FORMS[layout] });
  return vaeModel({
    ...parts,
    config: {},
    ...(isVideo && { cellsAtOnce: VIDEO_CELLS }),
  });
}
