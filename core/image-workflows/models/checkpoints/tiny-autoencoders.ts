/** TAESD in two files of the folder `vae_approx`, one for each direction. `VAELoader` lists such a pair by one name. */
import { type FilePath, type Host, ModelUnsupported } from '#core/host';
import type { WorkflowFiles } from '../../files/workflow-files.ts';
import type { VaeModel } from '../../values/image-models.ts';
import { recognizeAutoencoder } from '../families/autoencoders/recognize-autoencoder.ts';
import { tinyDecoderGraph, tinyEncoderGraph } from '../families/autoencoders/tiny-autoencoder-graph.ts';
import { USUAL_LATENTS } from '../networks/usual-latents.ts';
import { vaeModel } from '../vae/vae-model.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { renamed } from '../weight-files/weight-table.ts';

const FOLDER = 'vae_approx';

/** The pairs by name, with the kind of network whose latents they convert. */
const NETWORKS = { taesd: 'sd', taesdxl: 'sdxl', taesd3: 'sd3', taef1: 'flux' } as const;
export type TinyAutoencoder = keyof typeof NETWORKS;

const isFileOf = (file: string, name: string, part: string) =>
  file.startsWith(`${name}_${part}.`) && /\.(safetensors|sft)$/i.test(file);

/** The pairs of which both files are installed. */
export async function tinyAutoencoderNames(files: WorkflowFiles): Promise<TinyAutoencoder[]> {
  const installed = await files.models(FOLDER);
  return (Object.keys(NETWORKS) as TinyAutoencoder[]).filter((name) =>
    ['encoder', 'decoder'].every((part) => installed.some((file) => isFileOf(file, name, part))),
  );
}

export const isTinyAutoencoder = (name: string): name is TinyAutoencoder => Object.hasOwn(NETWORKS, name);

/** The paths of the files of a pair, as far as they are installed. */
export async function tinyAutoencoderPaths(host: Host, name: string): Promise<FilePath[]> {
  const installed = (await host.files.names(`models/${FOLDER}`)) ?? [];
  return ['encoder', 'decoder'].flatMap((part) =>
    installed
      .filter((file) => isFileOf(file, name, part))
      .slice(0, 1)
      .map((file) => `models/${FOLDER}/${file}`),
  );
}

/** Rejects with `ModelCorrupt` for damaged files, and with `ModelUnsupported` when one is missing or no TAESD. */
export async function loadTinyAutoencoder(host: Host, name: TinyAutoencoder): Promise<VaeModel> {
  const paths = await tinyAutoencoderPaths(host, name);
  if (paths.length < 2)
    throw new ModelUnsupported(
      `${name} needs ${name}_encoder.safetensors and ${name}_decoder.safetensors in models/${FOLDER}`,
    );
  const { scaleFactor: scale, shiftFactor: shift } = USUAL_LATENTS[NETWORKS[name]];
  const open = async (path: string, part: 'encoder' | 'decoder') => {
    const file = await readWeightFile(host.files, path);
    const isNumbered = [...file.table.keys()].every((key) => /^\d+\./.test(key));
    if (!isNumbered || file.table.size === 0)
      throw new ModelUnsupported(`${file.name} is no part of TAESD: ${describeContents(file)}`);
    const weights = renamed(file.table, (key) => `taesd_${part}.${key}`);
    return { weights, graphs: new WeightFileGraphs(host, file) };
  };
  const encoder = await open(paths[0]!, 'encoder');
  const decoder = await open(paths[1]!, 'decoder');
  const found = recognizeAutoencoder(decoder.weights);
  if (typeof found !== 'object')
    throw new ModelUnsupported(`${paths[1]} is no decoder of TAESD: its layer 1 is missing`);
  const { latentChannels, scale: pixels } = found;
  return vaeModel({
    encoder: encoder.graphs.graph('vae_encoder', encoder.weights, () =>
      tinyEncoderGraph(encoder.weights, { scale, shift }),
    ),
    decoder: decoder.graphs.graph('vae_decoder', decoder.weights, () =>
      tinyDecoderGraph(decoder.weights, { scale, shift }),
    ),
    latentChannels,
    scale: pixels,
    config: {},
  });
}
