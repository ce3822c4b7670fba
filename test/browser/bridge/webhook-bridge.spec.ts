/** `tabd serve --via-tab`: workflows in a tab answer calls to the port from anywhere. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { tinyPdf } from '../../support/webhooks/tiny-pdf.ts';
import { webhookNode } from '../../support/webhooks/webhook-server.ts';
import { codeNode, workflowOf } from '../../support/webhooks/workflow-builder.ts';
import { expect, test } from '../support/fixtures.ts';

const file = (type: string, operation: string) => ({ type, typeVersion: 1.1, parameters: { operation } });
const WORKFLOWS = [
  workflowOf(
    {
      Webhook: webhookNode('hash/:name', { httpMethod: 'POST' }),
      Code: codeNode(`const file = await this.helpers.getBinaryDataBuffer(0, 'data');
        const sha256 = require('crypto').createHash('sha256').update(file).digest('hex');
        return { name: $json.params.name, bytes: file.length, sha256 };`),
    },
    ['Webhook -> Code'],
    { name: 'hash' },
  ),
  workflowOf(
    { Webhook: webhookNode('pdf', { httpMethod: 'POST' }), Extract: file('extractFromFile', 'pdf') },
    ['Webhook -> Extract'],
    { name: 'pdf' },
  ),
  workflowOf(
    {
      Webhook: webhookNode('sheet', { httpMethod: 'POST' }),
      Code: codeNode('return $json.body'),
      Convert: file('convertToFile', 'xls'),
      Extract: file('extractFromFile', 'xls'),
    },
    ['Webhook -> Code', 'Code -> Convert', 'Convert -> Extract'],
    { name: 'sheet' },
  ),
].map(({ name, nodes, connections, settings }) => ({ name, nodes, connections, settings }));

test('a workflow in the tab answers a call from outside, and knows its public address', async ({
  context,
}) => {
  const home = await mkdtemp(join(tmpdir(), 'via-tab-'));
  const shim = await startShim(home, { args: ['--via-tab'] });
  try {
    const address = `http://localhost:${shim.ports.webhooks}`;
    const call = (path: string, init: RequestInit = {}) =>
      fetch(`${address}/webhook/${path}`, { method: 'POST', ...init });
    expect((await call('hash/a')).status).toBe(503);

    await context.addInitScript(
      (url) => localStorage.setItem('tabd-settings', JSON.stringify({ WEBHOOK_URL: url })),
      address,
    );
    const page = await context.newPage();
    const link = /http:\S+#\/bridge\?token=\S+/.exec(shim.output())?.[0];
    await page.goto(link!);
    await expect.poll(async () => (await call('hash/a')).status, { timeout: 20_000 }).toBe(404);
    const addresses = await page.evaluate(async (workflows) => {
      const headers = { 'x-n8n-api-key': 'this page', 'content-type': 'application/json' };
      const ask = async (method: string, path: string, body?: object) => {
        const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
        const response = await fetch(`/api/v1/workflows${path}`, init);
        if (response.status !== 200) throw new Error(await response.text());
        return (await response.json()) as { id: string };
      };
      let id = '';
      for (const workflow of workflows) {
        ({ id } = await ask('POST', '', workflow));
        await ask('POST', `/${id}/activate`);
      }
      return ask('GET', `/${id}/addresses`);
    }, WORKFLOWS);
    expect(addresses).toMatchObject({
      published: true,
      production: [{ url: `${address}/webhook/sheet`, reachable: true }],
    });

    // An independent program, curl, instead of fetch.
    const upload = ['-sS', '-i', '-H', 'Content-Type: image/x-raw', '--data-binary', 'one upload'];
    const { stdout } = await promisify(execFile)('curl', [...upload, `${address}/webhook/hash/b%20c`]);
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(stdout).toMatch(/\r\nx-tabd-served-by: tab\r\n/i);
    expect(JSON.parse(stdout.split('\r\n\r\n')[1]!)).toEqual({
      name: 'b c',
      bytes: 10,
      sha256: createHash('sha256').update('one upload').digest('hex'),
    });

    const pdf = await call('pdf', { body: tinyPdf('Hello'), headers: { 'content-type': 'application/pdf' } });
    expect(await pdf.json()).toMatchObject({ numpages: 1, text: 'Hello\nend' });
    const row = { name: 'grün', n: 2.5, yes: true };
    const sheet = await call('sheet', {
      body: JSON.stringify(row),
      headers: { 'content-type': 'application/json' },
    });
    expect(await sheet.json()).toEqual(row);
  } finally {
    await shim.stop();
    await removeHome(home);
  }
});
