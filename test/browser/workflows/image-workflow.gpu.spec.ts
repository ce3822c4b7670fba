// The default graph on WebGPU in real Chromium, on a software GPU (test/software-gpu), compared with the CPU in Node.

import { expect, test } from '@playwright/test';
import { addEmojiModel, defaultGraph, writeEmojiModel } from '../../support/model-files/emoji-model.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { filesOfTab } from '../../support/processes/tab.ts';
import { differenceOf, drawInPage, drawOnPort, imageSite, openImageSite } from '../support/image-site.ts';
import { watchGpu } from '../support/workers.ts';

test('one seed gives one image on WebGPU and on the CPU', async ({ browser }) => {
  const home = await makeHome([]);
  await addEmojiModel(home);
  const shim = await startShim(home);
  const site = await imageSite();
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const gpu = await watchGpu(page, context);
    await openImageSite(page, site);
    await writeEmojiModel(filesOfTab(page));
    const graph = defaultGraph({ seed: 7, steps: 2, text: 'a red heart' });
    const drawn = await drawInPage(page, graph);
    expect(drawn.outcome).toBe('execution_success');
    const submits = Object.values(await gpu.submits()).reduce((sum, count) => sum + count, 0);
    expect(submits).toBeGreaterThan(0);
    const reference = await drawOnPort(`http://127.0.0.1:${shim.ports['image-workflows']}`, graph);
    // The GPU adds in another order, which may change a channel by one step.
    const { largest, mean } = await differenceOf(drawn.image!, reference);
    expect(largest).toBeLessThanOrEqual(2);
    expect(mean).toBeLessThan(0.05);
  } finally {
    await context.close();
    await site.close();
    await shim.stop();
    await removeHome(home);
  }
});
