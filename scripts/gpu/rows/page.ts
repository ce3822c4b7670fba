/** The page in a real Chromium: its self-test, and an image of `emoji-128` in the tab against the CPU in Node. */
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { differenceOf, drawOnPort } from '#test/browser/support/image-site.ts';
import { finishedPrompt, type RequestJson } from '#test/support/image-workflows/finished-prompt.ts';
import { defaultGraph, EMOJI_128 } from '#test/support/model-files/emoji-model.ts';
import { chromiumLaunch } from '#test/support/processes/chromium.ts';
import { startShim } from '#test/support/processes/shim.ts';
import { fetchInTab, openAppTab, pullIntoTab } from '#test/support/processes/tab.ts';
import { homeWithEmoji, KIT, NO_VULKAN, PORTS, PROGRAM, reportRow, secondsSince } from './kit.ts';

const MODEL = 'smollm2:135m';
const IMAGES = 3;
const SELFTEST = 300_000;

export async function page(): Promise<void> {
  const home = await homeWithEmoji(join(KIT, 'home-chat'), EMOJI_128);
  const shim = await startShim(home, { program: PROGRAM, ports: PORTS, env: NO_VULKAN });
  const { SOFTWARE_GPU_CHROMIUM: gpu, SOFTWARE_GPU_FLAGS: flags = '' } = process.env;
  const browser = await chromium.launch({
    ...(await chromiumLaunch(flags.split(' ').filter(Boolean))),
    ...(gpu && { executablePath: gpu }),
  });
  try {
    const tab = await openAppTab(browser, `http://localhost:${PORTS.app}`);
    await pullIntoTab(tab, MODEL);
    await selftest(tab);
    await imagesIn(tab);
  } finally {
    await browser.close();
    await shim.stop();
  }
}

async function selftest(tab: Page): Promise<void> {
  await tab.goto(`http://localhost:${PORTS.app}/#/selftest`);
  // The page then knows the model that was pulled through the API.
  await tab.reload();
  await tab.locator('tabd-selftest button.primary:not([disabled])').click();
  const report = tab.locator('tabd-selftest #report');
  const error = tab.locator('tabd-selftest .error');
  await report.or(error).first().waitFor({ timeout: SELFTEST });
  console.log(await report.or(error).first().textContent());
}

async function imagesIn(tab: Page): Promise<void> {
  await pullIntoTab(tab, EMOJI_128);
  const inTab: RequestJson = async (path, body) => {
    const request = { path, ...(body === undefined ? { method: 'GET' } : { method: 'POST', body }) };
    return JSON.parse(Buffer.from((await fetchInTab(tab, request)).body, 'base64').toString());
  };
  const graph = (seed: number) =>
    defaultGraph({ checkpoint: EMOJI_128, steps: 20, seed, text: 'a fox on a blue background' });
  const seconds: number[] = [];
  let image = '';
  for (let seed = 0; seed <= IMAGES; seed++) {
    const start = performance.now();
    const { outputs, status } = await finishedPrompt(inTab, graph(seed));
    seconds.push(secondsSince(start));
    if (status.status_str !== 'success') throw new Error(JSON.stringify(status.messages.at(-1)));
    const [first] = Object.values(outputs).flatMap(({ images }) => images);
    image = (await fetchInTab(tab, { method: 'GET', path: `/view?${new URLSearchParams(first)}` })).body;
  }
  const stats = await inTab('/system_stats');
  const reference = await drawOnPort(`http://127.0.0.1:${PORTS['image-workflows']}`, graph(IMAGES));
  reportRow('emoji-128 in the tab', { seconds, difference: await differenceOf(image, reference), stats });
}
