/** The browser stores workflows: they answer after a reload, and in another tab when their own is closed. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { webhookNode } from '../../support/webhooks/webhook-server.ts';
import { setFields, workflowOf } from '../../support/webhooks/workflow-builder.ts';
import { expect, test } from '../support/fixtures.ts';

const resumeUrl = { responseMode: 'onReceived', options: { responseData: '={{ $execution.resumeUrl }}' } };
const waitsFor = (path: string, parameters: Record<string, unknown>) =>
  workflowOf(
    {
      Webhook: webhookNode(path, resumeUrl),
      Wait: { type: 'wait', typeVersion: 1.1, parameters },
      End: setFields({ got: '={{ $json.body.r }}' }, false),
    },
    ['Webhook -> Wait', 'Wait -> End'],
    { name: path },
  );
const WORKFLOWS = [
  workflowOf(
    { Webhook: webhookNode('echo/:id'), Set: setFields({ id: '={{ $json.params.id }}' }, false) },
    ['Webhook -> Set'],
    { name: 'echo' },
  ),
  waitsFor('call', { resume: 'webhook', httpMethod: 'POST', responseMode: 'lastNode' }),
  waitsFor('time', { amount: 3 }),
].map(({ name, nodes, connections, settings }) => ({ name, nodes, connections, settings }));

async function publish(page: Page): Promise<void> {
  await page.evaluate(async (workflows) => {
    const headers = { 'x-n8n-api-key': 'this page', 'content-type': 'application/json' };
    for (const workflow of workflows) {
      const created = await fetch('/api/v1/workflows', {
        method: 'POST',
        headers,
        body: JSON.stringify(workflow),
      });
      const { id } = (await created.json()) as { id: string };
      const live = await fetch(`/api/v1/workflows/${id}/activate`, { method: 'POST', headers });
      if (live.status !== 200) throw new Error(await live.text());
    }
  }, WORKFLOWS);
}

const post = (page: Page, path: string, body: object = {}) =>
  page.evaluate(
    async ([to, text]) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(to!, { method: 'POST', headers, body: text! });
      return [response.status, await response.text(), response.headers.get('x-tabd-served-by')];
    },
    [path, JSON.stringify(body)],
  );

const statuses = (page: Page) =>
  page.evaluate(async () => {
    const response = await fetch('/api/v1/executions', { headers: { 'x-n8n-api-key': 'this page' } });
    const { data } = (await response.json()) as { data: { id: string; status: string }[] };
    return Object.fromEntries(data.map(({ id, status }) => [id, status]));
  });

const controlled = (page: Page) => page.waitForFunction(() => navigator.serviceWorker.controller !== null);

test('published workflows and waiting runs survive a reload and the close of their tab', async ({
  context,
}) => {
  const home = await mkdtemp(join(tmpdir(), 'reload-'));
  const shim = await startShim(home);
  try {
    const origin = `http://localhost:${shim.ports.app}/`;
    const first = await context.newPage();
    await first.goto(origin);
    await controlled(first);
    await publish(first);
    const address = new URL(String((await post(first, '/webhook/call'))[1]));
    const resume = address.pathname + address.search;
    expect((await post(first, '/webhook/time'))[0]).toBe(200);
    await expect.poll(() => statuses(first)).toEqual({ 1: 'waiting', 2: 'waiting' });

    await first.reload();
    await controlled(first);
    expect(await post(first, '/webhook/echo/7')).toEqual([200, '{"id":"7"}', 'tab']);
    // The execution continues at its time, even if no tab was open then.
    await expect.poll(() => statuses(first)).toMatchObject({ 1: 'waiting', 2: 'success' });

    const second = await context.newPage();
    await second.goto(origin);
    await controlled(second);
    await first.close();
    expect(await post(second, '/webhook/echo/8')).toEqual([200, '{"id":"8"}', 'tab']);
    expect(await post(second, resume, { r: 5 })).toEqual([200, '{"got":"5"}', 'tab']);
  } finally {
    await shim.stop();
    await removeHome(home);
  }
});
