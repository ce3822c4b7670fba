/** An image of `emoji-128` through port 8188: on the GPU and on the CPU. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { differenceOf, drawOnPort } from '#test/browser/support/image-site.ts';
import { defaultGraph, EMOJI_128 } from '#test/support/model-files/emoji-model.ts';
import { startShim } from '#test/support/processes/shim.ts';
import { ask, homeWithEmoji, NO_VULKAN, PORTS, PROGRAM, reportRow, secondsSince } from './kit.ts';

const IMAGES = 3;
const graph = (seed: number) =>
  defaultGraph({ checkpoint: EMOJI_128, steps: 20, seed, text: 'a fox on a blue background' });

export async function images(): Promise<void> {
  const onGpu = await draw('images on the GPU', {});
  const onCpu = await draw('images on the CPU', NO_VULKAN);
  reportRow('images of one seed, GPU against CPU, in steps of 1/255', await differenceOf(onGpu, onCpu));
}

/** Resolves to the image of seed 7. */
async function draw(row: string, env: Record<string, string>): Promise<string> {
  const home = await homeWithEmoji(await mkdtemp(join(tmpdir(), 'tabd-gpu-')), EMOJI_128);
  const shim = await startShim(home, {
    program: PROGRAM,
    ports: PORTS,
    env: { OLLAMA_DEBUG: '1', ...env },
  });
  const port = `http://127.0.0.1:${PORTS['image-workflows']}`;
  try {
    const start = performance.now();
    const image = await drawOnPort(port, graph(7));
    const first = secondsSince(start);
    const seconds: number[] = [];
    for (let seed = 1; seed <= IMAGES; seed++) {
      const begin = performance.now();
      await drawOnPort(port, graph(seed));
      seconds.push(secondsSince(begin));
    }
    const { devices } = await ask<{ devices: unknown }>(`${port}/system_stats`);
    reportRow(row, { first, seconds, devices, log: logOf(shim.output()) });
    return image;
  } finally {
    await shim.stop();
  }
}

/** Lines of the log that name a device. */
const logOf = (output: string): string[] =>
  output
    .split('\n')
    .filter((line) => /webgpu|gpu|cpu|device/i.test(line))
    .slice(0, 20);
