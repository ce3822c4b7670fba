// A model that hears, on WebGPU in a tab. The cache of its decoder stays on the GPU between tokens. The GPU is the
// software GPU of test/software-gpu.
import { expect, test } from '@playwright/test';
import { makeStateHome } from '../../contract/transports/states.ts';
import { HEARING_MODEL } from '../../support/local-models/whisper/hearing-host.ts';
import { TINY_TEXT } from '../../support/local-models/whisper/tiny-whisper.ts';
import { removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { openAppTab, pullIntoTab } from '../../support/processes/tab.ts';
import { toneFile, transcribeInTab } from '../support/hearing-tab.ts';
import { watchGpu } from '../support/workers.ts';

test('writes down on WebGPU', async ({ browser }) => {
  const home = await makeStateHome('hears');
  const shim = await startShim(home);
  const context = await browser.newContext();
  try {
    const page = await openAppTab(context, `http://localhost:${shim.ports.app}`);
    await pullIntoTab(page, HEARING_MODEL);
    const gpu = await watchGpu(page, context);
    const total = async () => Object.values(await gpu.submits()).reduce((sum, count) => sum + count, 0);
    for (const granularity of ['segment', 'word']) {
      const before = await total();
      const { body } = await transcribeInTab(page, toneFile('a.wav', 1), 'a.wav', {
        response_format: 'verbose_json',
        'timestamp_granularities[]': granularity,
      });
      expect(body.text).toBe(TINY_TEXT);
      expect(await total()).toBeGreaterThan(before);
    }
    const loaded = await page.evaluate(async () => (await (await fetch('/api/ps')).json()).models);
    expect(loaded).toMatchObject([{ name: HEARING_MODEL }]);
    expect(loaded[0].size_vram).toBeGreaterThan(0);
  } finally {
    await context.close();
    await shim.stop();
    await removeHome(home);
  }
});
