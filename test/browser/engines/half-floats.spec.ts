// Weights of 16-bit floats on a GPU whose shaders have none: Chromium's own software GPU.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, expect, test } from '@playwright/test';
import { GraphBuilder } from '#core/tensors';
import { chromiumLaunch } from '../../support/processes/chromium.ts';
import { fixtureOf } from '../support/fixture-page.ts';
import { fixtureSite } from '../support/fixture-site.ts';

const FLAGS = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--ignore-gpu-blocklist'];
/** 0, 1, 2, 4 as 16-bit floats. */
const TABLE = Uint16Array.of(0, 0x3c00, 0x4000, 0x4400);

/** The middle of a table of 16-bit floats, converted and added to itself. */
function tableGraph(): Uint8Array {
  const graph = new GraphBuilder(
    new Map([['table', { file: 'table.bin', type: 'F16', shape: [4], start: 0, end: TABLE.byteLength }]]),
  );
  const ends = [graph.int64Initializer([1]), graph.int64Initializer([3])];
  const middle = graph.node('Slice', [graph.externalInitializer('table'), ...ends]);
  const floats = graph.storedFloats('table', middle);
  return graph.buildModel(
    [],
    [{ name: graph.node('Add', [floats, floats], {}, 'sum'), type: 'float32', shape: [2] }],
  );
}

test('tables of 16-bit floats are read without shader-f16', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tabd-half-'));
  const [graph, table] = [join(folder, 'model.onnx'), join(folder, 'table.bin')];
  await writeFile(graph, tableGraph());
  await writeFile(table, new Uint8Array(TABLE.buffer));
  const site = await fixtureSite({ isolated: true, files: { '/model.onnx': graph, '/table.bin': table } });
  const browser = await chromium.launch(await chromiumLaunch(FLAGS));
  try {
    const page = await browser.newPage();
    await page.goto(site.origin);
    const hasHalf = await page.evaluate(async () => {
      const { gpu } = navigator as unknown as {
        gpu: { requestAdapter(): Promise<{ features: Set<string> } | null> };
      };
      return (await gpu.requestAdapter())?.features.has('shader-f16');
    });
    expect(hasHalf).toBe(false);
    const fixture = fixtureOf(page);
    const model = {
      role: 'weights' as const,
      name: 'model.onnx',
      ...(await fixture.call('store', '/model.onnx')),
    };
    const part = { role: 'part' as const, name: 'table.bin', ...(await fixture.call('store', '/table.bin')) };
    // The CPU converts the table of an exported model. That of a file of weights, used in part, is converted first.
    for (const used of [undefined, TABLE.byteLength])
      for (const keepsStored of [false, true])
        expect(
          await fixture.call('runOnGpu', [model, { ...part, ...(used && { used }) }], keepsStored),
          `${used} ${keepsStored}`,
        ).toEqual([2, 4]);
  } finally {
    await browser.close();
    await site.close();
    await rm(folder, { recursive: true });
  }
});
