/** A form with two pages and an end, filled in by a person: at the webhook port, and in the tab itself. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrameLocator, Page } from '@playwright/test';
import { removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { webhookPort } from '../../support/webhooks/webhook-port.ts';
import { workflowOf } from '../../support/webhooks/workflow-builder.ts';
import { expect, test } from '../support/fixtures.ts';

const option = (...names: string[]) => ({ values: names.map((name) => ({ option: name })) });
const workflow = workflowOf(
  {
    Form: {
      type: 'formTrigger',
      typeVersion: 2.6,
      parameters: {
        formTitle: 'About you',
        formFields: {
          values: [
            { fieldLabel: 'Name', requiredField: true },
            { fieldLabel: 'Boxes', fieldType: 'checkbox', fieldOptions: option('b1', 'b2', 'b3') },
            { fieldLabel: 'Doc', fieldType: 'file', multipleFiles: false },
          ],
        },
        options: { path: 'about' },
      },
    },
    More: {
      type: 'form',
      typeVersion: 2.5,
      parameters: {
        formFields: { values: [{ fieldLabel: '=Town of {{ $json.Name }}' }] },
        options: { formTitle: 'More' },
      },
    },
    End: {
      type: 'form',
      typeVersion: 2.5,
      parameters: {
        operation: 'completion',
        completionTitle: 'Done',
        completionMessage:
          '={{ $("Form").item.json.Name }} {{ $("Form").item.json.Boxes.join("+") }} {{ $("Form").item.json.Doc.filename }} {{ $json["Town of Zoë"] }}',
      },
    },
  },
  ['Form -> More', 'More -> End'],
);

async function fillIn(page: Page | FrameLocator) {
  await expect(page.locator('h1')).toHaveText('About you');
  await page.getByLabel('Name').fill('Zoë');
  await page.getByLabel('b1').check();
  await page.getByLabel('b3').check();
  const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('abc') };
  await page.getByLabel('Doc').setInputFiles(file);
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.locator('h1')).toHaveText('More');
  await page.getByLabel('Town of Zoë').fill('Oslo');
  await page.getByRole('button', { name: 'Submit' }).click();
  await expect(page.locator('h1')).toHaveText('Done');
  await expect(page.locator('.form-header p')).toHaveText('Zoë b1+b3 a.txt Oslo');
}

test('a form leads a person through its pages at the port', async ({ page }) => {
  const port = await webhookPort();
  try {
    await port.publish(workflow);
    await page.goto(port.url.replace(/\/webhook$/, '/form/about'));
    await fillIn(page);
  } finally {
    await port.close();
  }
});

test('a form leads a person through its pages in the tab', async ({ page }) => {
  const home = await mkdtemp(join(tmpdir(), 'form-pages-'));
  const shim = await startShim(home);
  try {
    await page.goto(`http://localhost:${shim.ports.app}/`);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const { name, nodes, connections, settings } = workflow;
    const served = await page.evaluate(
      async (body) => {
        const headers = { 'x-n8n-api-key': 'this page', 'content-type': 'application/json' };
        const request = { method: 'POST', headers, body: JSON.stringify(body) };
        const { id } = (await (await fetch('/api/v1/workflows', request)).json()) as { id: string };
        const live = await fetch(`/api/v1/workflows/${id}/activate`, { method: 'POST', headers });
        return live.headers.get('x-tabd-served-by');
      },
      { name, nodes, connections, settings },
    );
    expect(served).toBe('tab');
    await page.evaluate(() => {
      document.body.innerHTML = '<iframe name="form" src="/form/about" width="600" height="600"></iframe>';
    });
    await fillIn(page.frameLocator('[name=form]'));
  } finally {
    await shim.stop();
    await removeHome(home);
  }
});
