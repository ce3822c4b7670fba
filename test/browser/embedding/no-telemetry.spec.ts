/** No telemetry: page, workers, engines and shim request only addresses that a user named. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, expect, test } from '@playwright/test';
import { smollm2 } from '../../support/model-files/weights.ts';
import { recordingProxy } from '../../support/network/recording-proxy.ts';
import { chromiumLaunch } from '../../support/processes/chromium.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { openAppTab, pullIntoTab } from '../../support/processes/tab.ts';

const preload = fileURLToPath(new URL('../../support/network/record-connections.cjs', import.meta.url));
/** Hosts that Chromium itself requests, whatever page is open. */
const BROWSERS_OWN =
  /^((update|content-autofill|optimizationguide-pa|safebrowsing)\.googleapis|(accounts|clients\d)\.google)\.com:/;
const model = 'smollm2:135m';
const chat = {
  model,
  messages: [{ role: 'user', content: 'Hello' }],
  stream: false,
  options: { num_predict: 4 },
};

test('the page with its workers and engines, and the shim, reach only hosts that were named', async () => {
  test.setTimeout(300_000);
  const folder = await mkdtemp(join(tmpdir(), 'tabd-hosts-'));
  const record = join(folder, 'hosts');
  await writeFile(record, '');
  const home = await makeHome([{ name: model, path: await smollm2() }]);
  const shim = await startShim(home, {
    env: { NODE_OPTIONS: `--require ${preload}`, RECORD_CONNECTIONS: record },
  });
  const proxy = await recordingProxy();
  const requestedHosts = () => [...proxy.hosts].filter((host) => !BROWSERS_OWN.test(host));
  const quiet = [
    '--disable-domain-reliability',
    '--disable-default-apps',
    '--disable-component-extensions-with-background-pages',
  ];
  const browser = await chromium.launch(await chromiumLaunch([...quiet, ...proxy.flags]));
  try {
    const app = `localhost:${shim.ports.app}`;
    const page = await openAppTab(await browser.newContext(), `http://${app}`);
    await pullIntoTab(page, model);
    const answers = await page.evaluate(async (body) => {
      const responses = [
        await fetch('/api/chat', { method: 'POST', body: JSON.stringify(body) }),
        await fetch('/object_info'),
        await fetch('/system_stats'),
        await fetch('/webhook/none'),
      ];
      for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')) link.click();
      return responses.map(({ status }) => status);
    }, chat);
    expect(answers).toEqual([200, 200, 200, 404]);
    const local = await fetch(`http://127.0.0.1:${shim.ports['local-models']}/api/chat`, {
      method: 'POST',
      body: JSON.stringify(chat),
    });
    expect(local.status).toBe(200);
    // Waits, because a timer might send something later.
    await page.waitForTimeout(3000);
    expect(requestedHosts()).toEqual([app]);
    const connections = async () => [
      ...new Set((await readFile(record, 'utf8')).split('\n').filter(Boolean)),
    ];
    const foreign = (hosts: string[]) => hosts.filter((host) => !/^(localhost|127\.0\.0\.1|::1)$/.test(host));
    expect(foreign(await connections())).toEqual([]);

    // Checks the test itself: both recorders see addresses that a user names.
    const named = { model: 'http://named.invalid/model.gguf', stream: false };
    await page.evaluate(
      async (body) => fetch('/api/pull', { method: 'POST', body: JSON.stringify(body) }),
      named,
    );
    expect(requestedHosts()).toEqual([app, 'named.invalid:80']);
    await fetch(`http://127.0.0.1:${shim.ports['local-models']}/api/pull`, {
      method: 'POST',
      body: JSON.stringify(named),
    });
    expect(foreign(await connections())).toEqual(['named.invalid']);
  } finally {
    await browser.close();
    await proxy.close();
    await shim.stop();
    await removeHome(home);
    await rm(folder, { recursive: true });
  }
});
