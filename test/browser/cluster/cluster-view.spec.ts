/** The view of a cluster: a real door serves the page, over real servers. */
import { once } from 'node:events';
import { expect, test } from '@playwright/test';
import { appStrings } from '#web/app/strings/app.ts';
import { clusterStrings as strings } from '#web/app/strings/cluster.ts';
import { type RunningDoor, startTestCluster, type TestCluster } from '../../support/servers/cluster.ts';
import { webhookNode } from '../../support/webhooks/webhook-server.ts';
import { codeNode, workflowOf } from '../../support/webhooks/workflow-builder.ts';
import { expectAccessible } from '../support/accessible.ts';

let cluster: TestCluster;
let door: RunningDoor;
test.beforeAll(async () => {
  cluster = await startTestCluster();
  door = await cluster.startDoor('--ports', 'app=0,local-models=0,image-workflows=0,webhooks=0');
});
test.afterAll(() => cluster?.close());

test('shows workers and queues, drains a worker, and repeats a stuck execution', async ({ page }) => {
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(error.message));
  await page.goto(`${door.page}/#/settings`);
  await page.getByRole('link', { name: strings.link }).click();
  await expect(page.getByRole('heading', { name: strings.heading, level: 1 })).toBeVisible();
  await expect(page.getByText(strings.noWorkers)).toBeVisible();

  const worker = await cluster.startWorker();
  const victim = await cluster.spawnWorker('--apis', 'webhooks');
  await cluster.ready(door);
  const rowOf = (name: string) => page.getByRole('row').filter({ has: page.locator(`[data-tip="${name}"]`) });
  const [, own] = /working as (\S+):/.exec(worker.text())!;
  await expect(rowOf(own!)).toContainText(strings.states.working);
  await expect(rowOf(own!)).toContainText('Models, Images, and Workflows');
  await expect(page.getByRole('row', { name: /^Workflows 0/ })).toBeVisible();
  await expect(page.getByText(strings.noStuck)).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: strings.actionOn(strings.drain, own!) }).click();
  await expect(rowOf(own!)).toContainText(strings.states.draining);

  // Only the other worker takes the run, and dies.
  const { nodes, connections, settings } = workflowOf(
    {
      Webhook: webhookNode('slow', { responseMode: 'onReceived' }),
      Code: codeNode('const end = Date.now() + 4000; while (Date.now() < end); return [];'),
    },
    ['Webhook -> Code'],
  );
  await cluster.publish(door, { name: 'slow', nodes, connections, settings });
  expect((await fetch(`${door.ports.webhooks}/webhook/slow`, { method: 'POST' })).status).toBe(200);
  const running = async () =>
    (await cluster.control<{ data: { status: string }[] }>(door, 'GET', '/executions')).data.map(
      ({ status }) => status,
    );
  await expect.poll(running).toEqual(['running']);
  victim.kill('SIGKILL');
  await once(victim, 'exit');
  await page.getByRole('button', { name: strings.actionOn(strings.resume, own!) }).click();
  const stuck = page.getByRole('row').filter({ hasText: strings.stuckStates.crashed });
  await expect(stuck).toContainText('slow');
  await expectAccessible(page);
  await stuck.getByRole('button', { name: strings.retry }).click();
  await expect(page.getByText(strings.noStuck)).toBeVisible();
  await expect.poll(running).toEqual(['success', 'crashed']);
  expect(failures).toEqual([]);
});

test('needs a key on another computer, and says so where no door serves the page', async ({ page }) => {
  // A proxy of this computer forwards requests of others, and says so.
  await page.route('**/tabd/cluster**', (route) =>
    route.continue({ headers: { ...route.request().headers(), 'x-forwarded-for': '192.0.2.1' } }),
  );
  await page.goto(`${door.page}/#/cluster`);
  await expect(page.getByText(strings.locked)).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel(strings.key, { exact: true }).fill('wrong');
  await page.getByRole('button', { name: strings.unlock, exact: true }).click();
  await expect(page.getByText(strings.wrongKey)).toBeVisible();
  await page.getByLabel(strings.key, { exact: true }).fill(cluster.key);
  await page.getByRole('button', { name: strings.unlock, exact: true }).click();
  await expect(page.getByRole('heading', { name: strings.workers })).toBeVisible();

  await page.route('**/tabd/cluster**', (route) =>
    route.fulfill({ status: 404, body: '404 page not found' }),
  );
  await page.reload();
  await expect(page.getByText(strings.none)).toBeVisible();
  await page.goto(`${door.page}/#/settings`);
  await expect(page.getByRole('heading', { name: appStrings.nav.settings, level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: strings.link })).toHaveCount(0);
});
