/** A small UNet of Stable Diffusion 1 in a file of weights, for tests of training. */
import type { Host } from '#core/host';
import { ldmUnet } from '#core/image-workflows/models/families/unet/ldm-unet-names.ts';
import { unetGraph } from '#core/image-workflows/models/families/unet/unet-graph.ts';
import { denoiserOf } from '#core/image-workflows/models/networks/open-denoiser.ts';
import { readWeightFile } from '#core/image-workflows/models/weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '#core/image-workflows/models/weight-files/weight-file-graphs.ts';
import type { DiffusionModel } from '#core/image-workflows/values/diffusion-model.ts';
import { type TinyUnet, unetShapes } from './unet-weights.ts';
import { weightsFor, writeWeights } from './weight-files.ts';

/** The width of its prompts. */
export const SMALL_CONTEXT = 6;

/** @param shape its levels. Default: two, with a transformer in the first one, and nothing in the middle */
export async function smallUnet(
  host: Host,
  shape: Pick<TinyUnet, 'layers' | 'depths' | 'middle'> = { depths: [1, 0] },
  path = 'models/diffusion_models/small.safetensors',
): Promise<DiffusionModel> {
  const shapes = unetShapes({ width: 8, context: SMALL_CONTEXT, ...shape });
  const weights = Object.entries(weightsFor(shapes)).map(([name, { shape, data }]) => [
    name,
    // So the results of layers are as large as their inputs.
    { shape, data: data.map((value) => (shape.length > 1 ? 3 * value : value)) },
  ]);
  await writeWeights(host.files, path, Object.fromEntries(weights));
  const file = await readWeightFile(host.files, path);
  const named = ldmUnet(file.table);
  const graph = new WeightFileGraphs(host, file).graph('unet', named, () =>
    unetGraph(named, { heads: 2, normGroups: 2 }),
  );
  return denoiserOf({
    kind: 'sd',
    graph,
    config: { in_channels: 4, out_channels: 4, cross_attention_dim: SMALL_CONTEXT },
    scheduler: { beta_schedule: 'scaled_linear', beta_start: 0.00085, beta_end: 0.012 },
    vae: {},
  });
}
