/** Models in folders of diffusers with files of weights: `unet/`, `text_encoder/`, `vae/` and so on. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import type { ClipModel } from '../../values/clip-model.ts';
import type { DiffusionModel } from '../../values/diffusion-model.ts';
import type { VaeModel } from '../../values/image-models.ts';
import { clipModel } from '../encoders/clip-model.ts';
import { embeddingFiles } from '../encoders/embedding-files.ts';
import type { TextEncoderModel } from '../encoders/text-encoder-model.ts';
import type { OpenedNetwork } from '../families/network-family.ts';
import { clipUse } from '../families/text-encoders/clip-encoder.ts';
import { languageUse } from '../families/text-encoders/language-encoder.ts';
import { recognizeTextEncoder } from '../families/text-encoders/recognize-text-encoder.ts';
import { ImageModelFolder } from '../model-files/image-model-folder.ts';
import { samplingFromScheduler } from '../networks/scheduler-config.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { openAutoencoderFile } from './open-autoencoder.ts';
import type { Checkpoint } from './open-checkpoint.ts';
import { openEncoder } from './open-encoder.ts';
import { openNetworkFile } from './open-network.ts';

const NETWORKS = ['unet', 'transformer'] as const;
const ENCODERS = ['text_encoder', 'text_encoder_2', 'text_encoder_3'];
/** The beginnings of the names of weight files, those of networks and those of encoders. */
const STARTS = ['diffusion_pytorch_model', 'model', 'pytorch_model'];
/** Files of full precision come before rounded ones. */
const VARIANTS = ['', '.fp32', '.fp16', '.bf16', '.non_ema'];
const ENDINGS = ['.safetensors', '.bin'];
/** The largest set of files for one network. */
const MAX_SHARDS = 20;

/** The first files of sets by their possible numbers. '' stands for a single file. */
const SETS = [
  '',
  ...Array.from({ length: MAX_SHARDS }, (_, index) => `-00001-of-${String(index + 1).padStart(5, '0')}`),
];

/** Names of weight files within a component's folder, the best first. */
const FILE_NAMES = ENDINGS.flatMap((ending) =>
  STARTS.flatMap((start) =>
    VARIANTS.flatMap((variant) => SETS.map((set) => `${start}${variant}${set}${ending}`)),
  ),
);

/** The paths by which a folder counts as a model, below that folder. */
export const NETWORK_WEIGHTS: readonly string[] = NETWORKS.flatMap((network) =>
  FILE_NAMES.filter((name) => name.startsWith('diffusion')).map((name) => `${network}/${name}`),
);

/** The file of weights in a component's folder; of a set the first. Undefined when there is none. */
async function weightsIn(host: Host, folder: FilePath): Promise<FilePath | undefined> {
  const names = new Set(await host.files.names(folder));
  const name = FILE_NAMES.find((each) => names.has(each));
  return name && `${folder}/${name}`;
}

/** The weights of the network in a model's folder. Undefined: it has none, or an exported graph. */
export async function networkWeightsIn(host: Host, path: FilePath): Promise<FilePath | undefined> {
  const folder = new ImageModelFolder(host, path);
  if (await folder.folderWithGraph(...NETWORKS)) return undefined;
  for (const network of NETWORKS) {
    const file = await weightsIn(host, `${path}/${network}`);
    if (file) return file;
  }
  return undefined;
}

/**
 * Opens a model in a folder of diffusers. Reads tables and configurations only.
 * Rejects with `ModelUnsupported` for networks of unknown families and encoders that they do not take, and with
 * `ModelCorrupt` for damaged files.
 * @param network the file of its network
 */
export async function openDiffusersWeights(
  host: Host,
  path: FilePath,
  network: FilePath,
): Promise<Checkpoint> {
  const opened = await openNetworkFile(host, network);
  const vae = await weightsIn(host, `${path}/vae`);
  return {
    model: await withScheduler(opened.model, new ImageModelFolder(host, path)),
    clip: await openEncoders(host, path, opened),
    vae: vae ? await openAutoencoderFile(host, vae) : missingVae(path, opened.model),
  };
}

/** The weights of a UNet do not show what it predicts. The scheduler's configuration does. */
async function withScheduler(model: DiffusionModel, folder: ImageModelFolder): Promise<DiffusionModel> {
  const { configs } = model;
  const scheduler = await folder.readJson('scheduler/scheduler_config.json');
  if (!scheduler || !configs || (configs.kind !== 'sd' && configs.kind !== 'sdxl')) return model;
  return { ...model, sampling: samplingFromScheduler(scheduler), configs: { ...configs, scheduler } };
}

async function openEncoders(host: Host, path: FilePath, network: OpenedNetwork): Promise<ClipModel> {
  const encoders: TextEncoderModel[] = [];
  for (const part of ENCODERS) {
    const file = await weightsIn(host, `${path}/${part}`);
    if (file) encoders.push(await openPart(host, file, `${path}/${part}`, network));
  }
  return clipModel({ encoders, combination: network.combination, embeddings: embeddingFiles(host) });
}

async function openPart(
  host: Host,
  path: FilePath,
  part: string,
  { encoders, model }: OpenedNetwork,
): Promise<TextEncoderModel> {
  const file = await readWeightFile(host.files, path);
  const recognized = recognizeTextEncoder(file.table);
  const use = encoders.find((each) => (languageUse(each) ?? clipUse(each)).kind === recognized?.found.kind);
  if (!recognized || use === undefined)
    throw new ModelUnsupported(
      `${part} holds ${recognized ? `the text encoder ${recognized.found.label}, which ${model.family?.name} does not take here` : `no text encoder that is known here: ${describeContents(file)}`}. Load the network with UNETLoader, and its text encoders with CLIPLoader`,
    );
  return openEncoder(new WeightFileGraphs(host, file), use, recognized.weights);
}

function missingVae(path: string, { latent }: DiffusionModel): VaeModel {
  const fail = async (): Promise<never> => {
    throw new ModelUnsupported(`${path} has no autoencoder in its folder vae: load one with VAELoader`);
  };
  return { encode: fail, decode: fail, latentChannels: latent.channels, scale: 8 };
}
