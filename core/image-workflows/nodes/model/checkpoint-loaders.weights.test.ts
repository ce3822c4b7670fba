import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  checkpoint,
  distance,
  type SavingServer,
  samplingPrompt,
  savingServer,
  use,
} from '#test/support/image-workflows/saving-server.ts';

const SLOW = { timeout: 120_000 };
let server: SavingServer;
beforeAll(async () => {
  server = await savingServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

test('CheckpointLoader takes the prediction and the layer from configuration files', SLOW, async () => {
  const loaded = (config_name: string) => use('CheckpointLoader', { config_name, ckpt_name: 'tiny' });
  const runParts = (
    parts: Record<string, object>,
    model: unknown = ['first', 0],
    clip: unknown = ['first', 1],
  ) => server.run(samplingPrompt(model, clip, parts));
  const plain = await runParts({ first: checkpoint('tiny') });
  for (const name of ['v1-inference.yaml', 'v2-inpainting-inference.yaml'])
    expect(distance(await runParts({ first: loaded(name) }), plain)).toBe(0);
  const velocity = use('ModelSamplingDiscrete', {
    model: ['first', 0],
    sampling: 'v_prediction',
    zsnr: false,
  });
  const asVelocity = await runParts({ first: checkpoint('tiny'), velocity }, ['velocity', 0]);
  expect(distance(asVelocity, plain)).toBeGreaterThan(1e-2);
  expect(distance(await runParts({ first: loaded('v2-inference-v.yaml') }), asVelocity)).toBe(0);
  const earlier = use('CLIPSetLastLayer', { clip: ['first', 1], stop_at_clip_layer: -2 });
  const skipped = await runParts({ first: checkpoint('tiny'), earlier }, ['first', 0], ['earlier', 0]);
  expect(distance(skipped, plain)).toBeGreaterThan(1e-2);
  for (const name of ['anything_v3.yaml', 'v1-inference_clip_skip_2_fp16.yaml'])
    expect(distance(await runParts({ first: loaded(name) }), skipped)).toBe(0);
});
