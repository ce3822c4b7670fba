/** A site with the published library and its WebSocket patch, and functions that run in its page. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { decodeImage } from '#core/image-codecs/decode.ts';
import { askAt, finishedPrompt } from '../../support/image-workflows/finished-prompt.ts';
import { type StaticSite, serveFiles } from '../../support/network/static-files.ts';

const library = fileURLToPath(new URL('../../../dist', import.meta.url));
const PAGE = `<!doctype html>
<title>Images</title>
<script type="module">
  import { start } from './index.js';
  import { patchWebSocket } from './websocket.js';
  patchWebSocket(await start({ apis: ['image-workflows'] }));
  document.documentElement.dataset.tabd = 'ready';
</script>
`;

export async function imageSite(): Promise<StaticSite> {
  const folder = await mkdtemp(join(tmpdir(), 'tabd-image-site-'));
  await cp(library, folder, { recursive: true, filter: (path) => !path.startsWith(join(library, 'app')) });
  await writeFile(join(folder, 'index.html'), PAGE);
  const site = await serveFiles(folder);
  return {
    ...site,
    async close() {
      await site.close();
      await rm(folder, { recursive: true });
    },
  };
}

export async function openImageSite(page: Page, site: StaticSite): Promise<void> {
  await page.goto(site.url);
  await page.locator('html[data-tabd=ready]').waitFor();
}

export interface FollowedPrompt {
  /** The types of the received messages in order. Equal neighbors count once. Images are `binary`. */
  heard: string[];
  outcome: string;
  /** The image as PNG in base64. */
  image?: string;
}

/** Submits a graph as a client in the page does, follows it over its socket, and fetches its image. */
export function drawInPage(page: Page, prompt: object, interruptAt?: number): Promise<FollowedPrompt> {
  return page.evaluate(
    async ({ prompt, interruptAt }) => {
      const client = crypto.randomUUID();
      const socket = new WebSocket(`ws://${location.host}/ws?clientId=${client}`);
      const heard: string[] = [];
      const ended = new Promise<void>((resolve, reject) => {
        socket.onerror = () => reject(new Error('the socket failed'));
        socket.onmessage = ({ data }) => {
          const message = typeof data === 'string' ? JSON.parse(data) : { type: 'binary' };
          if (heard.at(-1) !== message.type) heard.push(message.type);
          if (message.type === 'progress' && message.data.value === interruptAt)
            fetch('/interrupt', { method: 'POST' });
          if (message.type === 'executing' && message.data.node === null) resolve();
        };
      });
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      const body = JSON.stringify({ prompt, client_id: client });
      const submitted = await fetch('/prompt', { method: 'POST', body });
      if (!submitted.ok) throw new Error(await submitted.text());
      const { prompt_id } = await submitted.json();
      await ended;
      socket.close();
      const { [prompt_id]: entry } = await (await fetch(`/history/${prompt_id}`)).json();
      const [image] = Object.values<{ images: Record<string, string>[] }>(entry.outputs).flatMap(
        ({ images }) => images,
      );
      const outcome = entry.status.messages.at(-1)[0];
      if (!image) return { heard, outcome };
      const bytes = new Uint8Array(await (await fetch(`/view?${new URLSearchParams(image)}`)).arrayBuffer());
      return { heard, outcome, image: btoa(String.fromCharCode(...bytes)) };
    },
    { prompt, interruptAt },
  );
}

/** Submits the graph over a port and fetches its image, without a socket. */
export async function drawOnPort(origin: string, prompt: object): Promise<string> {
  const { outputs } = await finishedPrompt(askAt(origin), prompt);
  const [image] = Object.values(outputs).flatMap(({ images }) => images);
  const answer = await fetch(`${origin}/view?${new URLSearchParams(image)}`);
  return Buffer.from(await answer.arrayBuffer()).toString('base64');
}

/** The largest difference of a channel, in steps of 1/255, and the mean difference of the images. */
export async function differenceOf(a: string, b: string): Promise<{ largest: number; mean: number }> {
  const pixels = async (base64: string) =>
    (await decodeImage(Buffer.from(base64, 'base64'), undefined)).frames[0]!.data;
  const [first, second] = [await pixels(a), await pixels(b)];
  if (first.length !== second.length) throw new Error('the images have different sizes');
  let largest = 0;
  let sum = 0;
  for (let i = 0; i < first.length; i++) {
    const difference = Math.abs(first[i]! - second[i]!);
    largest = Math.max(largest, difference);
    sum += difference;
  }
  return { largest, mean: sum / first.length };
}
