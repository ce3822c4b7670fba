/** Networks that receive recorded inputs in place of those that follow from prompts. */
import { cascadeLayout } from '#core/image-workflows/models/families/stable-cascade/cascade-layout.ts';
import { onnxNetwork } from '#core/image-workflows/models/networks/onnx-network.ts';
import type { DiffusionModel } from '#core/image-workflows/values/diffusion-model.ts';
import type { ModelSampling } from '#core/image-workflows/values/noise-levels.ts';
import { withRecordedLabel } from './recorded-label.ts';
import type { RecordedInputs, Recording } from './recorded-numbers.ts';

/** The model with the recorded images and numbers, as far as it takes any. */
export async function withRecordedInputs(
  model: DiffusionModel | undefined,
  { inputs = {}, eval: calls }: Recording,
  recorded: RecordedInputs,
): Promise<DiffusionModel | undefined> {
  const { c_concat, y, clip_img, sca, crp, global_embed } = inputs;
  if (model?.configs?.kind === 'sdxl' && y) return withRecordedLabel(model, await recorded.input(y));
  if (model && global_embed) {
    const times = { classLabels: await recorded.input(global_embed) };
    return { ...model, imageInputs: () => times };
  }
  if (model && c_concat && y) {
    const images = { concat: await recorded.input(c_concat), classLabels: await recorded.input(y) };
    return { ...model, imageInputs: () => images };
  }
  if (!model || !clip_img || !sca || !crp) return model;
  const images = { classLabels: await recorded.input(clip_img) };
  const numbers = { sca: await recorded.input(sca), crp: await recorded.input(crp) };
  const network = onnxNetwork(model.network.graph!, {
    ...cascadeLayout,
    feeds: (input) => ({
      ...cascadeLayout.feeds(input),
      sca: { type: 'float32', ...numbers.sca },
      crp: { type: 'float32', ...numbers.crp },
    }),
  });
  return { ...model, network, sampling: withRecordedTime(model.sampling, calls), imageInputs: () => images };
}

/**
 * Stable Cascade multiplies the time by 10,000 and takes sines. Its last digit depends on the arc cosine of a math
 * library.
 */
function withRecordedTime(sampling: ModelSampling, calls: Recording['eval'] = {}): ModelSampling {
  const timestepOf = (sigma: number): number => {
    const call = Object.values(calls).find((each) => each.sigma === sigma);
    const [recorded] = call?.timestep_given_to_network ?? [];
    const time = sampling.timestepOf(sigma);
    return recorded !== undefined && Math.abs(recorded - time) < 1e-6 ? recorded : time;
  };
  return { ...sampling, timestepOf };
}
