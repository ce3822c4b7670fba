/** The app as a client of the server that the user chooses: this tab, or the ports of this computer. */
import { expect as quick, test } from '@playwright/test';
import { appStrings } from '#web/app/strings/app.ts';
import { chatStrings } from '#web/app/strings/chat.ts';
import { imageStrings } from '#web/app/strings/images.ts';
import { modelStrings } from '#web/app/strings/models.ts';
import { workflowStrings } from '#web/app/strings/workflows.ts';
import { smollm2 } from '../../support/model-files/weights.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { openAppTab } from '../../support/processes/tab.ts';
import { expectAccessible } from '../support/accessible.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 60_000 });
const { nav, servers } = appStrings;
const model = 'smollm2:135m';

test('chats, models, images and workflows are those of the chosen server', async ({ context }) => {
  test.setTimeout(240_000);
  const home = await makeHome([{ name: model, path: await smollm2() }]);
  const shim = await startShim(home);
  try {
    const app = await openAppTab(context, `http://localhost:${shim.ports.app}`);
    const go = (name: string) => app.getByRole('link', { name, exact: true }).click();
    const picker = app.getByLabel(servers.label);
    const requests = new Map<string, Set<string>>();
    app.on('request', (request) => {
      const { port, pathname } = new URL(request.url());
      requests.set(port, (requests.get(port) ?? new Set()).add(pathname));
    });
    const requestsTo = (port: number) => [...(requests.get(String(port)) ?? [])];

    await expect(app.getByRole('heading', { name: chatStrings.noModel })).toBeVisible();
    await picker.selectOption('computer');
    await expect(app.getByRole('heading', { name: chatStrings.heading })).toBeVisible();
    await expectAccessible(app);
    await app.getByRole('button', { name: chatStrings.options }).click();
    await app.getByLabel(chatStrings.maxLength, { exact: true }).fill('4');
    await app.getByRole('button', { name: chatStrings.done }).click();
    await app.getByRole('button', { name: chatStrings.starters[0] }).click();
    await expect(app.locator('tabd-message').last()).toContainText(chatStrings.lengthLimit);
    expect(requestsTo(shim.ports['local-models'])).toContain('/api/chat');

    await app.reload();
    await expect(picker).toHaveValue('computer');
    await go(nav.models);
    await expect(app.getByRole('button', { name: modelStrings.detailsOf(model) })).toBeVisible();

    await go(nav.images);
    await app.getByRole('button', { name: imageStrings.getAndMake('emoji-128') }).click();
    const createdImages = app.getByRole('listitem').getByRole('img', { name: imageStrings.placeholder });
    await expect(createdImages).toHaveCount(1);
    expect(requestsTo(shim.ports['image-workflows'])).toEqual(expect.arrayContaining(['/prompt', '/view']));

    await go(nav.workflows);
    await app.getByRole('button', { name: workflowStrings.templates.json.label }).click();
    await app.getByRole('button', { name: workflowStrings.publish }).click();
    await expect(app.getByText(workflowStrings.published, { exact: true })).toBeVisible();
    const atPort = `http://localhost:${shim.ports.webhooks}/webhook/hello`;
    const answer = await fetch(atPort, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect([answer.headers.get('x-tabd-served-by'), await answer.text()]).toEqual([
      'node',
      '{"hello":"world"}',
    ]);

    // This tab shows nothing of the other server.
    await picker.selectOption('tab');
    await expect(app.getByText(workflowStrings.none)).toBeVisible();
    await go(nav.images);
    await expect(app.getByRole('heading', { name: imageStrings.noModel })).toBeVisible();

    await picker.selectOption('computer');
    await expect(createdImages).toHaveCount(1);
    await shim.stop();
    await go(nav.models);
    const lost = app.getByRole('alert').filter({ hasText: servers.useTab });
    await expect(lost).toContainText(servers.unreachable(`localhost:${shim.ports['local-models']}`));
    await lost.getByRole('button', { name: servers.useTab }).click();
    await expect(app.getByText(modelStrings.noModels)).toBeVisible();
    await expect(lost).toHaveCount(0);
  } finally {
    await context.close();
    await shim.stop();
    await removeHome(home);
  }
});
