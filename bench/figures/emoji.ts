/** Seconds that the image model of this repository takes for a picture, in Node and in a browser without a GPU. */
import { chromium, type Page } from '@playwright/test';
import { serveEmojiModel, storeEmojiModel } from '../../test/browser/support/image-site.ts';
import { chromiumLaunch } from '../../test/support/chromium.ts';
import { addEmojiModel, defaultGraph, EMOJI_128 } from '../../test/support/emoji-model.ts';
import { makeHome, removeHome } from '../../test/support/node-home.ts';
import { startShim } from '../../test/support/shim.ts';
import { openTab } from '../../test/support/tab.ts';
import type { Figure } from '../figure.ts';
import { median } from '../statistics.ts';

const PICTURES = 3;

export default async function* emoji(): AsyncIterable<Figure> {
  const home = await makeHome([]);
  await addEmojiModel(home, EMOJI_128);
  const shim = await startShim(home);
  const browser = await chromium.launch(await chromiumLaunch());
  try {
    const port = `http://127.0.0.1:${shim.ports['image-workflows']}`;
    yield* figures('Node', (graph) => draw({ origin: port, graph }), '<= 10');
    const tab = await openTab(browser, `http://localhost:${shim.ports.app}`);
    await serveEmojiModel(tab, EMOJI_128);
    await storeEmojiModel(tab, EMOJI_128);
    yield* figures('a browser without a GPU', (graph) => drawIn(tab, graph), '<= 25');
  } finally {
    await browser.close();
    await shim.stop();
    await removeHome(home);
  }
}

async function* figures(place: string, draw: (graph: object) => Promise<number>, aim: string) {
  const graph = (seed: number) =>
    defaultGraph({ checkpoint: EMOJI_128, steps: 20, seed, text: 'a fox on a blue background' });
  yield { name: `emoji-128: s to the first picture in ${place}`, value: await draw(graph(0)) };
  const seconds: number[] = [];
  for (let seed = 1; seed <= PICTURES; seed++) seconds.push(await draw(graph(seed)));
  yield { name: `emoji-128: s for a picture of 20 steps in ${place}`, value: median(seconds), aim };
}

const drawIn = (page: Page, graph: object): Promise<number> => page.evaluate(draw, { origin: '', graph });

/** Seconds from the request until the picture is in the history. Runs in Node and, as it stands, in a page. */
async function draw({ origin, graph }: { origin: string; graph: object }): Promise<number> {
  const start = performance.now();
  const body = JSON.stringify({ prompt: graph });
  const answer = await fetch(`${origin}/prompt`, { method: 'POST', body });
  if (!answer.ok) throw new Error(await answer.text());
  const { prompt_id: id } = (await answer.json()) as { prompt_id: string };
  for (;;) {
    const history = (await (await fetch(`${origin}/history/${id}`)).json()) as Record<
      string,
      { status: { status_str: string; messages: unknown[] } }
    >;
    const status = history[id]?.status;
    if (status?.status_str === 'success') return (performance.now() - start) / 1000;
    if (status) throw new Error(JSON.stringify(status.messages.at(-1)));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
