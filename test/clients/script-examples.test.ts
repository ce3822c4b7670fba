/** Requests of usual scripts against the shim's real port, with a checkpoint in one file under the usual name. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultGraph } from '../support/model-files/emoji-model.ts';
import { writeTinyCheckpoint } from '../support/model-files/tiny-checkpoint.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { hasPython, python, pythonPackage } from '../support/processes/python-package.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

const CHECKPOINT = 'v1-5-pruned-emaonly.safetensors';
const script = fileURLToPath(new URL('./script_examples.py', import.meta.url));

let home: string;
let shim: RunningShim;

beforeAll(async () => {
  home = await makeHome([]);
  const folder = join(home, 'files/models/checkpoints');
  await mkdir(folder, { recursive: true });
  await writeTinyCheckpoint(join(folder, CHECKPOINT));
  shim = await startShim(home);
}, 60_000);
afterAll(async () => {
  await shim?.stop();
  if (home) await removeHome(home);
});

test.runIf(await hasPython())(
  'a checkpoint in one file draws for scripts that wait for nothing, for the history, and for the socket',
  { timeout: 120_000 },
  async () => {
    const packages = [await pythonPackage('websocket-client==1.9.2'), await pythonPackage('pillow==12.0.0')];
    const graph = defaultGraph({ checkpoint: CHECKPOINT, seed: 5, steps: 2, size: 256 });
    const address = `127.0.0.1:${shim.ports['image-workflows']}`;
    const seen = await python(script, [address, JSON.stringify(graph)], packages.join(':'));
    // This autoencoder has two levels, so that images have twice the side of their latents.
    const image = { format: 'PNG', size: [64, 64], colors: expect.any(Number) };
    expect(seen).toEqual({ queue: ['success'], history: [image], socket: [image] });
    expect((seen as { socket: [{ colors: number }] }).socket[0].colors).toBeGreaterThan(50);
  },
);
