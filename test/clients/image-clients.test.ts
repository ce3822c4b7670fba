/** Stock clients of ComfyUI against the shim's real port, with a trained model. */
import { fileURLToPath } from 'node:url';
import { CallWrapper, ComfyApi, PromptBuilder } from '@saintno/comfyui-sdk';
import { Client } from '@stable-canvas/comfyui-client';
import { ComfyUIClient, type Prompt } from 'comfy-ui-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { addEmojiModel, defaultGraph, EMOJI } from '../support/model-files/emoji-model.ts';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { hasPython, python, pythonPackage } from '../support/processes/python-package.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';

const PNG = '89504e470d0a1a0a';
const script = fileURLToPath(new URL('./image_client.py', import.meta.url));
const usable = { timeout: 120_000 };

let home: string;
let shim: RunningShim;
let address: string;

beforeAll(async () => {
  home = await makeHome([]);
  await addEmojiModel(home);
  shim = await startShim(home);
  address = `127.0.0.1:${shim.ports['image-workflows']}`;
}, 60_000);
afterAll(async () => {
  await shim?.stop();
  if (home) await removeHome(home);
});

test('comfy-ui-client submits, follows and fetches', usable, async () => {
  const client = new ComfyUIClient(address, 'comfy-ui-client');
  await client.connect();
  try {
    const { 9: images } = await client.getImages(defaultGraph({ seed: 11 }) as unknown as Prompt);
    expect(images!.map(({ image }) => image)).toEqual([
      { filename: 'drawn_00001_.png', subfolder: '', type: 'output' },
    ]);
    expect(await startOf(images![0]!.blob)).toBe(PNG);
    const uploaded = await client.uploadImage(Buffer.from('bytes'), 'from-a-client.png', true);
    expect(uploaded).toMatchObject({ name: 'from-a-client.png', type: 'input' });
    expect((await client.getSystemStats()).devices.length).toBeGreaterThan(0);
    expect(Object.keys(await client.getObjectInfo('KSampler'))).toEqual(['KSampler']);
    expect(await client.getQueue()).toEqual({ queue_running: [], queue_pending: [] });
    expect(await client.getPrompt()).toEqual({ exec_info: { queue_remaining: 0 } });
  } finally {
    await client.disconnect();
  }
});

test('@stable-canvas/comfyui-client submits, follows, lists and interrupts', usable, async () => {
  const client = new Client({
    api_host: address,
    WebSocket: WebSocket as unknown as typeof globalThis.WebSocket,
    fetch,
  });
  client.connect();
  try {
    const steps: number[] = [];
    const result = await client.enqueue(defaultGraph({ seed: 12 }), {
      progress: ({ value }) => steps.push(value),
    });
    expect(steps).toEqual([1, 2, 3]);
    expect(result.images).toHaveLength(1);
    const shown = result.images[0] as { type: 'url'; data: string };
    expect(await startOf(await (await fetch(shown.data)).blob())).toBe(PNG);
    expect(await client.getSDModels()).toEqual([EMOJI]);
    expect(await client.getSamplers()).toContain('dpmpp_2m');

    const { prompt_id } = await client._enqueue_prompt(defaultGraph({ seed: 13, steps: 5000 }));
    const waiting = await client._enqueue_prompt(defaultGraph({ seed: 14 }));
    await until(async () => (await client.getQueue()).Running.length === 1);
    await client.deleteItem('queue', waiting.prompt_id);
    await client.interrupt();
    await until(async () => (await client.getPromptStatus(prompt_id)).done);
    const { History } = await client.getHistory();
    expect(History.map(({ status }) => status?.completed)).toContain(false);
    expect(History.map(({ prompt }) => prompt[1])).not.toContain(waiting.prompt_id);
  } finally {
    client.close();
  }
});

test('@saintno/comfyui-sdk builds a prompt, follows it, and receives its error', usable, async () => {
  // Longer than a busy machine is silent. Otherwise the client reconnects, which needs a global WebSocket (Node 22).
  const api = new ComfyApi(`http://${address}`, 'comfyui-sdk', { wsTimeout: 120_000 });
  await api.init().waitForReady();
  try {
    const build = (seed: number, checkpoint: string) =>
      new PromptBuilder(defaultGraph(), ['seed', 'checkpoint'], ['images'])
        .setInputNode('seed', '3.inputs.seed')
        .setInputNode('checkpoint', '4.inputs.ckpt_name')
        .setOutputNode('images', '9')
        .input('seed', seed)
        .input('checkpoint', checkpoint);
    const steps: number[] = [];
    // The client's wrapper may send the request after the end of the run.
    api.on('progress', ({ detail }) => steps.push(detail.value));
    const result = await new CallWrapper(api, build(15, EMOJI)).run();
    expect(steps).toEqual([1, 2, 3]);
    const { images } = (
      result as { images: { images: { filename: string; subfolder: string; type: string }[] } }
    ).images;
    expect(await startOf(await api.getImage(images[0]!))).toBe(PNG);

    let failure: Error | undefined;
    const failed = new CallWrapper(api, build(16, 'no such model')).onFailed((error) => {
      failure = error;
    });
    expect(await failed.run()).toBe(false);
    expect(String(failure?.cause ?? failure)).toMatch(/validation|prompt/i);
  } finally {
    api.destroy();
  }
});

test.runIf(await hasPython())(
  'urllib and websocket-client: submit, follow, view, interrupt',
  usable,
  async () => {
    const path = await pythonPackage('websocket-client==1.9.2');
    const graph = JSON.stringify(defaultGraph({ seed: 17 }));
    const seen = (await python(script, [address, graph], path)) as {
      nodes: string[];
      images: string[];
      sent: [string, string][];
    };
    expect(seen).toMatchObject({
      // The other nodes are as in the prompt before.
      nodes: expect.arrayContaining(['3', '8', '9']),
      interrupted: ['error', ['execution_start', 'execution_cached', 'execution_interrupted']],
      waiting: {},
    });
    expect(seen.images).toHaveLength(1);
    expect(seen.images[0]!.startsWith(PNG)).toBe(true);
    expect(seen.sent.map(([node, bytes]) => [node, bytes.startsWith(PNG)])).toEqual([['9', true]]);
  },
);

async function startOf(blob: Blob): Promise<string> {
  return Buffer.from(await blob.slice(0, 8).arrayBuffer()).toString('hex');
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}
