/** A form of a web page, submitted with a file by navigation: to the webhook port, and to the tab itself. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { webhookPort } from '../../support/webhooks/webhook-port.ts';
import { codeNode, workflowOf } from '../../support/webhooks/workflow-builder.ts';
import { expect, test } from '../support/fixtures.ts';

const CODE = `
  const { json, binary } = $input.first();
  const text = (await this.helpers.getBinaryDataBuffer(0, 'doc')).toString('utf8');
  return [{ json: { page: '<h1>Thanks, ' + json.body.name + '</h1><p>' + binary.doc.fileName + ': ' + text + '</p>' } }];`;

const parameters = {
  path: 'form',
  httpMethod: 'POST',
  responseMode: 'lastNode',
  options: { responsePropertyName: 'page' },
};
const workflow = workflowOf(
  { Webhook: { type: 'webhook', typeVersion: 2.1, parameters }, Code: codeNode(CODE) },
  ['Webhook -> Code'],
);
const form = (action: string, target = '') => `
  <form action="${action}" method="post" enctype="multipart/form-data" ${target}>
    <input name="name" value="Zoë"><input type="file" name="doc"><input type="file" name="blank"><button>Send</button>
  </form>`;
const file = { name: 'naïve.txt', mimeType: 'text/plain', buffer: Buffer.from('hello é') };

test('a form with a file is answered with a page that has no rights over the origin', async ({ page }) => {
  const port = await webhookPort();
  try {
    await port.publish(workflow);
    await page.setContent(form(`${port.url}/form`));
    await page.locator('[name=doc]').setInputFiles(file);
    await page.getByText('Send').click();
    await expect(page.locator('h1')).toHaveText('Thanks, Zoë');
    await expect(page.locator('p')).toHaveText('naïve.txt: hello é');
    expect(page.url()).toBe(`${port.url}/form`);
    expect(await page.evaluate(() => self.origin)).toBe('null');
  } finally {
    await port.close();
  }
});

test('the tab answers a form of a page, in a frame next to it', async ({ page }) => {
  const home = await mkdtemp(join(tmpdir(), 'form-'));
  const shim = await startShim(home);
  try {
    await page.goto(`http://localhost:${shim.ports.app}/`);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const { name, nodes, connections, settings } = workflow;
    const published = await page.evaluate(
      async (body) => {
        const headers = { 'x-n8n-api-key': 'this page', 'content-type': 'application/json' };
        const created = await fetch('/api/v1/workflows', {
          method: 'POST',
          headers,
          body: JSON.stringify(body),
        });
        const { id } = (await created.json()) as { id: string };
        const live = await fetch(`/api/v1/workflows/${id}/activate`, { method: 'POST', headers });
        return [created.status, live.status, live.headers.get('x-tabd-served-by')];
      },
      { name, nodes, connections, settings },
    );
    expect(published).toEqual([200, 200, 'tab']);
    const content = `${form('/webhook/form', 'target="answer"')}<iframe name="answer"></iframe>`;
    await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), content);
    await page.locator('[name=doc]').setInputFiles(file);
    await page
      .getByText('Send', { exact: true })
      .last()
      .evaluate((button: HTMLElement) => button.click());
    const frame = page.frameLocator('[name=answer]');
    await expect(frame.locator('h1')).toHaveText('Thanks, Zoë');
    await expect(frame.locator('p')).toHaveText('naïve.txt: hello é');
    expect(await frame.locator('h1').evaluate(() => self.origin)).toBe('null');
  } finally {
    await shim.stop();
    await removeHome(home);
  }
});
