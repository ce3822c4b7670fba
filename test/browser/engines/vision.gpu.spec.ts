// Images on WebGPU, on a software GPU with shader-f16 (test/software-gpu), with the random model of vision.spec.ts.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { MEDIA_MARKER } from '#core/host';
import { pngOf } from '../../support/image-workflows/png.ts';
import { tinyLanguageModel, tinyProjector } from '../../support/model-files/tiny-vision.ts';
import { CHAT, fixtureOf } from '../support/fixture-page.ts';
import { fixtureSite } from '../support/fixture-site.ts';

test('an image has the same effect on the GPU as on the CPU', async ({ page }) => {
  const folder = await mkdtemp(join(tmpdir(), 'tabd-vision-'));
  const files = { model: join(folder, 'model.gguf'), projector: join(folder, 'mmproj.gguf') };
  await writeFile(files.model, tinyLanguageModel());
  await writeFile(files.projector, tinyProjector());
  const site = await fixtureSite({
    isolated: true,
    files: { '/model.gguf': files.model, '/mmproj.gguf': files.projector },
  });
  try {
    await page.goto(site.origin);
    const fixture = fixtureOf(page);
    const weights = await fixture.call('store', '/model.gguf');
    const projector = await fixture.call('store', '/mmproj.gguf');
    const extraFiles = [{ role: 'projector' as const, ...projector }];
    const chances = async (gpuLayers: number) => {
      const { id, device } = await fixture.call(
        'load',
        weights,
        { contextLength: 256, gpuLayers },
        undefined,
        extraFiles,
      );
      expect(device.kind, device.note).toBe(gpuLayers === 0 ? 'cpu' : 'gpu');
      const found: number[] = [];
      for (const color of [
        [255, 0, 0],
        [0, 0, 255],
      ] as [number, number, number][]) {
        const answer = await fixture.generate(id, {
          prompt: CHAT(`${MEDIA_MARKER}What is this?`),
          images: [[...pngOf(color)]],
          maxTokens: 1,
          topLogprobs: 3,
        });
        expect(answer.error).toBeUndefined();
        const [event] = answer.logprobs;
        if (event?.type === 'token') found.push(...event.logprob!.top.map(({ logprob }) => logprob));
      }
      await fixture.call('dispose', id);
      return found;
    };
    const onCpu = await chances(0);
    const onGpu = await chances(-1);
    expect(onCpu).toHaveLength(6);
    for (const [index, logprob] of onCpu.entries()) expect(onGpu[index]).toBeCloseTo(logprob, 1);
  } finally {
    await site.close();
    await rm(folder, { recursive: true, force: true });
  }
});
