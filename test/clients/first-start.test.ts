/** The first start of the built program: the default graph of the official editor runs on the port for images. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { defaultGraph } from '../support/model-files/emoji-model.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

let home: string;
let shim: RunningShim;
/** Without a network: no hub and no pip. */
const OFFLINE = { HF_ENDPOINT: 'http://127.0.0.1:9', TABD_PIP: 'no-such-program' };

beforeEach(async () => {
  home = await makeHome([]);
  shim = await startShim(home, { pull: true, env: OFFLINE });
});
afterEach(async () => {
  await shim?.stop();
  await removeHome(home);
});

const ask = async (path: string, body?: object) => {
  const init = body && { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(`http://127.0.0.1:${shim.ports['image-workflows']}${path}`, init)).json();
};

it('runs the default graph with the first checkpoint of the list, without a network', async () => {
  const { CheckpointLoaderSimple } = await ask('/object_info/CheckpointLoaderSimple');
  const [checkpoint] = CheckpointLoaderSimple.input.required.ckpt_name[0];
  expect(checkpoint).toBe('emoji-128');
  const graph = defaultGraph({ checkpoint, steps: 20, size: 512, text: 'a purple galaxy bottle' });
  const { prompt_id } = await ask('/prompt', { prompt: graph });
  const outputs = async () => (await ask(`/history/${prompt_id}`))[prompt_id]?.outputs['9']?.images;
  await expect.poll(outputs, { timeout: 100_000, interval: 300 }).toHaveLength(1);
}, 120_000);

it('does not restore a deleted model at the next start', async () => {
  await shim.stop();
  await rm(join(home, 'files/models/checkpoints/emoji-128'), { recursive: true });
  shim = await startShim(home, { pull: true, env: OFFLINE });
  expect(await ask('/models/checkpoints')).toEqual([]);
});
