/** Python of workflows in a tab. Its files are loaded when a node first needs them. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { webhookNode } from '../../support/webhooks/webhook-server.ts';
import { workflowOf } from '../../support/webhooks/workflow-builder.ts';
import { expect, test } from '../support/fixtures.ts';

const pythonCode = `
import json, re
body = _items[0]["json"]["body"]
if "module" in body:
    __import__(body["module"])
return [{"json": {"words": re.findall(r"\\w+", body["text"]), "same": _input.first().json.body.text == body["text"]}}]
`;

const { name, nodes, connections, settings } = workflowOf(
  {
    Webhook: webhookNode('python'),
    Code: {
      type: 'code',
      typeVersion: 2,
      parameters: { language: 'pythonNative', pythonCode },
      onError: 'continueRegularOutput',
    },
  },
  ['Webhook -> Code'],
);

test('a Code node runs Python in the tab, without a way out', async ({ page }) => {
  const home = await mkdtemp(join(tmpdir(), 'python-'));
  const shim = await startShim(home);
  const loaded: string[] = [];
  page.context().on('request', (request) => loaded.push(request.url()));
  const isPython = (url: string) => /pyodide|python[._](worker|stdlib)/.test(url);
  try {
    await page.goto(`http://localhost:${shim.ports.app}/`);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const call = (body: object) =>
      page.evaluate(async (sent) => {
        const init = {
          method: 'POST',
          body: JSON.stringify(sent),
          headers: { 'content-type': 'application/json' },
        };
        return (await fetch('/webhook/python', init)).json();
      }, body);
    await page.evaluate(
      async (body) => {
        const headers = { 'x-n8n-api-key': 'this page', 'content-type': 'application/json' };
        const created = await fetch('/api/v1/workflows', {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        const { id } = (await created.json()) as { id: string };
        const live = await fetch(`/api/v1/workflows/${id}/activate`, { method: 'POST', headers });
        if (live.status !== 200) throw new Error(await live.text());
      },
      { name, nodes, connections, settings },
    );
    expect(loaded.filter(isPython)).toEqual([]);
    expect(await call({ text: 'one two' })).toEqual({ words: ['one', 'two'], same: true });
    expect(loaded.filter(isPython).length).toBeGreaterThanOrEqual(3);
    expect(loaded.filter((url) => !url.startsWith(`http://localhost:${shim.ports.app}/`))).toEqual([]);
    for (const module of ['js', 'pyodide_js', '_pyodide_core']) {
      expect(await call({ text: '', module })).toEqual({ error: `No module named '${module}'` });
    }
    expect(await call({ text: 'three' })).toEqual({ words: ['three'], same: true });
  } finally {
    await shim.stop();
    await removeHome(home);
  }
});
