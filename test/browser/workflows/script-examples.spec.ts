/** Requests of usual scripts from a page to its service worker, with a checkpoint in one file under the usual name. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { defaultGraph } from '../../support/model-files/emoji-model.ts';
import { writeTinyCheckpoint } from '../../support/model-files/tiny-checkpoint.ts';
import type { StaticSite } from '../../support/network/static-files.ts';
import { copyToTab } from '../../support/processes/tab.ts';
import { imageSite, openImageSite } from '../support/image-site.ts';

test.describe.configure({ mode: 'serial', timeout: 240_000 });

const CHECKPOINT = 'v1-5-pruned-emaonly.safetensors';
const graph = defaultGraph({ checkpoint: CHECKPOINT, seed: 5, steps: 2, size: 256 });

let folder: string;
let site: StaticSite;
let page: Page;

test.beforeAll(async ({ browser }) => {
  folder = await mkdtemp(join(tmpdir(), 'tabd-checkpoint-'));
  const file = join(folder, CHECKPOINT);
  await writeTinyCheckpoint(file);
  site = await imageSite();
  page = await browser.newPage();
  await openImageSite(page, site);
  await copyToTab(page, file, `models/checkpoints/${CHECKPOINT}`);
});
test.afterAll(async () => {
  await page?.close();
  await site?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('a prompt without a client runs, and the history has its image', async () => {
  const seen = await page.evaluate(async (prompt) => {
    const submitted = await fetch('/prompt', { method: 'POST', body: JSON.stringify({ prompt }) });
    const { prompt_id } = await submitted.json();
    for (;;) {
      const { [prompt_id]: entry } = await (await fetch('/history')).json();
      if (entry) return { status: entry.status.status_str, images: entry.outputs[9].images };
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }, graph);
  expect(seen).toEqual({
    status: 'success',
    images: [{ filename: 'drawn_00001_.png', subfolder: '', type: 'output' }],
  });
});

/** Submits a prompt, follows it until it ends, and returns the images in its history and on the socket. */
function follow(path: string, prompt: object): Promise<{ viewed: string[]; received: string[] }> {
  return page.evaluate(
    async ({ path, prompt }) => {
      const startOf = async (blob: Blob) =>
        String.fromCharCode(...new Uint8Array(await blob.slice(1, 4).arrayBuffer()));
      const client = crypto.randomUUID();
      const socket = new WebSocket(`ws://${location.host}/ws?clientId=${client}`);
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      let node = '';
      const binary: Blob[] = [];
      let end: (value?: unknown) => void = () => {};
      const ended = new Promise((resolve) => {
        end = resolve;
      });
      socket.onmessage = ({ data }) => {
        if (typeof data !== 'string') {
          if (node === 'save_image_websocket_node') binary.push(new Blob([data]).slice(8));
          return;
        }
        const message = JSON.parse(data);
        if (message.type !== 'executing') return;
        node = message.data.node;
        if (node === null) end();
      };
      const body = JSON.stringify({ prompt, client_id: client });
      const { prompt_id } = await (await fetch(path, { method: 'POST', body })).json();
      await ended;
      socket.close();
      const { [prompt_id]: entry } = await (await fetch(`/history/${prompt_id}`)).json();
      const images = Object.values<{ images?: Record<string, string>[] }>(entry.outputs).flatMap(
        (output) => output.images ?? [],
      );
      const viewed: string[] = [];
      for (const image of images)
        viewed.push(await startOf(await (await fetch(`/view?${new URLSearchParams(image)}`)).blob()));
      return { viewed, received: await Promise.all(binary.map(startOf)) };
    },
    { path, prompt },
  );
}

test('a socket says when the prompt has ended, and the image is fetched', async () => {
  expect(await follow('/prompt', graph)).toEqual({ viewed: ['PNG'], received: [] });
});

test('an image comes over the socket, without a file', async () => {
  const { 9: _, ...others } = graph;
  const prompt = {
    ...others,
    save_image_websocket_node: { class_type: 'SaveImageWebsocket', inputs: { images: ['8', 0] } },
  };
  expect(await follow('/api/prompt', prompt)).toEqual({ viewed: [], received: ['PNG'] });
});
