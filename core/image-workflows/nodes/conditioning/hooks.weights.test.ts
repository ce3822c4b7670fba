import { afterAll, beforeAll, expect, test } from 'vitest';
import { onnxHost } from '#test/support/host/onnx-host.ts';
import { imageServer } from '#test/support/image-workflows/image-server.ts';
import { latentProbe } from '#test/support/image-workflows/latent-probe.ts';
import { writeTextEncoder, writeUnet } from '#test/support/model-files/tiny-parts.ts';
import { type FloatTensor, tensorOf } from '../../values/tensor.ts';
import { encodeSafetensors } from '../latent/safetensors.ts';

let server: ReturnType<typeof imageServer>;
let remove: () => Promise<void>;
const probe = latentProbe();

// Tiny ONNX graphs, which onnxruntime runs in processes of their own.
beforeAll(async () => {
  const onnx = await onnxHost();
  remove = onnx.remove;
  const { files } = onnx.host;
  await writeTextEncoder(files, 'models/text_encoders/small');
  await writeUnet(files, 'models/diffusion_models/small');
  const matrix = () => tensorOf([4, 4, 1, 1], new Float32Array(16).fill(0.1));
  const adapter = { 'unet.conv_in.lora_A.weight': matrix(), 'unet.conv_in.lora_B.weight': matrix() };
  await files.write('models/loras/model.safetensors', encodeSafetensors(adapter, {}));
  server = imageServer({ host: onnx.host, customNodes: [probe.node] });
});
afterAll(async () => {
  await server.close();
  await remove();
});

const graph = (more: Record<string, object>, model: string, positive: string, negative: string) => ({
  network: { class_type: 'UNETLoader', inputs: { unet_name: 'small', weight_dtype: 'default' } },
  encoder: { class_type: 'CLIPLoader', inputs: { clip_name: 'small', type: 'stable_diffusion' } },
  cat: { class_type: 'CLIPTextEncode', inputs: { text: 'a cat', clip: ['encoder', 0] } },
  nothing: { class_type: 'CLIPTextEncode', inputs: { text: '', clip: ['encoder', 0] } },
  empty: { class_type: 'EmptyLatentImage', inputs: { width: 64, height: 64, batch_size: 1 } },
  ...more,
  sampler: {
    class_type: 'KSampler',
    inputs: {
      ...{ model: [model, 0], positive: [positive, 0], negative: [negative, 0], latent_image: ['empty', 0] },
      ...{ seed: 5, steps: 4, cfg: 3, sampler_name: 'euler', scheduler: 'normal', denoise: 1 },
    },
  },
  probe: { class_type: 'Probe', inputs: { latent: ['sampler', 0] } },
});

async function samples(prompt: object): Promise<FloatTensor> {
  probe.take();
  const { entry } = await server.run(prompt);
  expect(entry.status.messages.find(([name]) => name === 'execution_error')?.[1]).toBeUndefined();
  return probe.take()!.samples;
}
const lora = { lora_name: 'model.safetensors', strength_model: 0.5 };
const hooked = (hooks: string, conditioning: string) => ({
  class_type: 'ConditioningSetProperties',
  inputs: { cond_NEW: [conditioning, 0], strength: 1, set_cond_area: 'default', hooks: [hooks, 0] },
});
const hook = { class_type: 'CreateHookLoraModelOnly', inputs: lora };
const distance = (a: FloatTensor, b: FloatTensor) =>
  a.data.reduce((max, value, i) => Math.max(max, Math.abs(value - b.data[i]!)), 0);

test('a hook on both prompts equals an adapter of the model; on one prompt, or with strength 0, it does not', {
  timeout: 60_000,
}, async () => {
  const plain = await samples(graph({}, 'network', 'cat', 'nothing'));
  const loader = { class_type: 'LoraLoaderModelOnly', inputs: { ...lora, model: ['network', 0] } };
  const adapted = await samples(graph({ loader }, 'loader', 'cat', 'nothing'));
  expect(distance(adapted, plain)).toBeGreaterThan(1e-3);

  const both = { hook, with: hooked('hook', 'cat'), without: hooked('hook', 'nothing') };
  expect(distance(await samples(graph(both, 'network', 'with', 'without')), adapted)).toBeLessThan(1e-5);

  const positiveOnly = { hook, with: hooked('hook', 'cat') };
  const partly = await samples(graph(positiveOnly, 'network', 'with', 'nothing'));
  expect(distance(partly, adapted)).toBeGreaterThan(1e-4);
  expect(distance(partly, plain)).toBeGreaterThan(1e-4);

  // A strength of 0 has no effect.
  const never = {
    hook,
    off: { class_type: 'CreateHookKeyframe', inputs: { strength_mult: 0, start_percent: 0 } },
    timed: { class_type: 'SetHookKeyframes', inputs: { hooks: ['hook', 0], hook_kf: ['off', 0] } },
    with: hooked('timed', 'cat'),
  };
  expect(distance(await samples(graph(never, 'network', 'with', 'nothing')), plain)).toBeLessThan(1e-6);
});
