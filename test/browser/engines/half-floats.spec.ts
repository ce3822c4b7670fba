// Weights of 16-bit floats on a GPU whose shaders have none (Chromium's own software GPU), and BF16 on one that has F16.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, expect, test } from '@playwright/test';
import { GraphBuilder } from '#core/tensors';
import { chromiumLaunch } from '../../support/processes/chromium.ts';
import { fixtureOf } from '../support/fixture-page.ts';
import { fixtureSite } from '../support/fixture-site.ts';

const FLAGS = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--ignore-gpu-blocklist'];
/** 0, 1, 2, 4 as 16-bit floats. */
const TABLES = {
  F16: Uint16Array.of(0, 0x3c00, 0x4000, 0x4400),
  BF16: Uint16Array.of(0, 0x3f80, 0x4000, 0x4080),
};
type HalfType = keyof typeof TABLES;
const BYTES = 8;

/** The middle of a table of 16-bit floats, converted and added to itself. */
function tableGraph(type: HalfType): Uint8Array {
  const graph = new GraphBuilder(
    new Map([['table', { file: 'table.bin', type, shape: [4], start: 0, end: BYTES }]]),
  );
  const ends = [graph.int64Initializer([1]), graph.int64Initializer([3])];
  const middle = (table: string) => graph.node('Slice', [table, ...ends]);
  const table = graph.externalInitializer('table');
  // onnxruntime cuts no BF16.
  const floats =
    type === 'BF16' ? middle(graph.storedFloats('table', table)) : graph.storedFloats('table', middle(table));
  return graph.buildModel(
    [],
    [{ name: graph.node('Add', [floats, floats], {}, 'sum'), type: 'float32', shape: [2] }],
  );
}

/** Reads the table in a page of a browser, as each kind of model. @param hasHalf whether its shaders have F16 */
async function readTable(browser: Browser, type: HalfType, hasHalf: boolean): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tabd-half-'));
  const [graph, table] = [join(folder, 'model.onnx'), join(folder, 'table.bin')];
  await writeFile(graph, tableGraph(type));
  await writeFile(table, new Uint8Array(TABLES[type].buffer));
  const site = await fixtureSite({ isolated: true, files: { '/model.onnx': graph, '/table.bin': table } });
  try {
    const page = await browser.newPage();
    await page.goto(site.origin);
    const found = await page.evaluate(async () => {
      const { gpu } = navigator as unknown as {
        gpu: { requestAdapter(): Promise<{ features: Set<string> } | null> };
      };
      return (await gpu.requestAdapter())?.features.has('shader-f16');
    });
    expect(found).toBe(hasHalf);
    const fixture = fixtureOf(page);
    const model = {
      role: 'weights' as const,
      name: 'model.onnx',
      ...(await fixture.call('store', '/model.onnx')),
    };
    const part = { role: 'part' as const, name: 'table.bin', ...(await fixture.call('store', '/table.bin')) };
    // The CPU converts the table of an exported model. That of a file of weights, used in part, is converted first.
    for (const used of [undefined, BYTES])
      for (const keepsStored of [false, true])
        expect(
          await fixture.call('runOnGpu', [model, { ...part, ...(used && { used }) }], keepsStored),
          `${used} ${keepsStored}`,
        ).toEqual([2, 4]);
    await page.close();
  } finally {
    await site.close();
    await rm(folder, { recursive: true });
  }
}

for (const type of ['F16', 'BF16'] as const)
  test(`tables of ${type} are read without shader-f16`, async () => {
    const browser = await chromium.launch(await chromiumLaunch(FLAGS));
    try {
      await readTable(browser, type, false);
    } finally {
      await browser.close();
    }
  });

const { SOFTWARE_GPU_CHROMIUM: softwareGpu, SOFTWARE_GPU_FLAGS: softwareFlags = '' } = process.env;

if (softwareGpu)
  test('a table of BF16 is read with shader-f16', async () => {
    const options = await chromiumLaunch(softwareFlags.split(' '));
    const browser = await chromium.launch({ ...options, executablePath: softwareGpu });
    try {
      await readTable(browser, 'BF16', true);
    } finally {
      await browser.close();
    }
  });
