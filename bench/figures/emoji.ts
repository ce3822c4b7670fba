/** Seconds for an image with this repository's image model, in Node and in a browser without a GPU. */
import { chromium, type Page } from '@playwright/test';
import { askAt, finishedPrompt, type RequestJson } from '#test/support/image-workflows/finished-prompt.ts';
import {
  addEmojiModel,
  defaultGraph,
  EMOJI_128,
  writeEmojiModel,
} from '#test/support/model-files/emoji-model.ts';
import { chromiumLaunch } from '#test/support/processes/chromium.ts';
import { makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { startShim } from '#test/support/processes/shim.ts';
import { fetchInTab, filesOfTab, openAppTab } from '#test/support/processes/tab.ts';
import type { Figure } from '../figure.ts';
import { median } from '../statistics.ts';

const IMAGES = 3;

export default async function* emoji(): AsyncIterable<Figure> {
  const home = await makeHome([]);
  await addEmojiModel(home, EMOJI_128);
  const shim = await startShim(home);
  const browser = await chromium.launch(await chromiumLaunch());
  try {
    const port = `http://127.0.0.1:${shim.ports['image-workflows']}`;
    yield* figures('Node', askAt(port), '<= 10');
    const tab = await openAppTab(browser, `http://localhost:${shim.ports.app}`);
    await writeEmojiModel(filesOfTab(tab), EMOJI_128);
    yield* figures('a browser without a GPU', inTab(tab), '<= 25');
  } finally {
    await browser.close();
    await shim.stop();
    await removeHome(home);
  }
}

async function* figures(place: string, ask: RequestJson, aim: string) {
  const graph = (seed: number) =>
    defaultGraph({ checkpoint: EMOJI_128, steps: 20, seed, text: 'a fox on a blue background' });
  yield { name: `emoji-128: s to the first image in ${place}`, value: await draw(ask, graph(0)) };
  const seconds: number[] = [];
  for (let seed = 1; seed <= IMAGES; seed++) seconds.push(await draw(ask, graph(seed)));
  yield { name: `emoji-128: s for an image of 20 steps in ${place}`, value: median(seconds), aim };
}

const inTab =
  (page: Page): RequestJson =>
  async (path, body) => {
    const request = { path, ...(body === undefined ? { method: 'GET' } : { method: 'POST', body }) };
    return JSON.parse(Buffer.from((await fetchInTab(page, request)).body, 'base64').toString());
  };

/** Seconds from the request until the image is in the history. */
async function draw(ask: RequestJson, graph: object): Promise<number> {
  const start = performance.now();
  const { status } = await finishedPrompt(ask, graph);
  if (status.status_str !== 'success') throw new Error(JSON.stringify(status.messages.at(-1)));
  return (performance.now() - start) / 1000;
}
