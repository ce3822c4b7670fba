/** Files of the folder latent_upscale_models. */
import { type Host, ModelUnsupported } from '#core/host';
import { toBatch } from '../../values/batches.ts';
import type { LatentUpscaleModel } from '../../values/image-models.ts';
import { asFrames } from '../../values/single-frames.ts';
import { byFrames, fromFrames } from '../../values/video-frames.ts';
import { feed, requireSlot, toFloatTensor } from '../graphs/session-tensors.ts';
import { describeContents } from '../weight-files/describe-contents.ts';
import { readWeightFile } from '../weight-files/read-weight-file.ts';
import { WeightFileGraphs } from '../weight-files/weight-file-graphs.ts';
import { latentUpscalerGraph, latentUpscalerKind } from './networks/latent-upscaler-graph.ts';

/** Reads the file's table only. Rejects with `ModelUnsupported` for other networks. */
export async function openLatentUpscaler(host: Host, name: string): Promise<LatentUpscaleModel> {
  const file = await readWeightFile(host.files, `models/latent_upscale_models/${name}`);
  const kind = latentUpscalerKind(file.table);
  if (kind === undefined)
    throw new ModelUnsupported(
      `${name} is no upscaler of latents that runs here: use hunyuanvideo15_latent_upsampler_720p.safetensors or hunyuanvideo15_latent_upsampler_1080p.safetensors. ${describeContents(file)}`,
    );
  const graph = new WeightFileGraphs(host, file).graph('latent_upscaler', file.table, () =>
    latentUpscalerGraph(file.table, kind),
  );
  return {
    async sharpen(samples, signal) {
      const video = samples.shape.length === 4 ? asFrames(samples) : samples;
      const session = await graph.session(signal);
      const slot = requireSlot(session, 'latent_sample');
      const channels = Number(slot.shape[1]);
      if (video.shape[1] !== channels)
        throw new TypeError(
          `${name} takes latents of ${channels} channels, and these have ${video.shape[1]}: use those of Hunyuan Video 1.5`,
        );
      const results = [];
      for (let index = 0; index < video.shape[0]!; index++) {
        const outputs = await session.run({ [slot.name]: feed(slot, byFrames(video, index)) }, signal);
        results.push(fromFrames(toFloatTensor(Object.values(outputs)[0]!)));
      }
      return toBatch(results, 1);
    },
  };
}
