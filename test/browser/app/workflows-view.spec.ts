/** The workflow screens as a user sees them: from an empty list to a published webhook, and its runs. */
import { expect as quick, test } from '@playwright/test';
import { appStrings } from '#web/app/strings/app.ts';
import { workflowStrings } from '#web/app/strings/workflows.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { openAppTab } from '../../support/processes/tab.ts';
import { expectAccessible } from '../support/accessible.ts';

/** Everything is slow on a busy machine. */
const expect = quick.configure({ timeout: 30_000 });

test('a webhook is created, changed, tested, published and called, and its runs are inspected', async ({
  page,
  context,
}) => {
  test.setTimeout(150_000);
  const home = await makeHome([]);
  const shim = await startShim(home);
  try {
    const app = await openAppTab(context, `http://localhost:${shim.ports.app}`);
    app.setDefaultTimeout(30_000);
    const button = (name: string, exact = true) => app.getByRole('button', { name, exact });
    const post = (path: string, body: object) =>
      app.evaluate(
        async ([to, text]) => {
          const headers = { 'content-type': 'application/json' };
          const response = await fetch(to!, { method: 'POST', headers, body: text! });
          return [response.status, await response.text()];
        },
        [path, JSON.stringify(body)],
      );

    await app.getByRole('link', { name: appStrings.nav.workflows }).click();
    await app.getByRole('button', { name: workflowStrings.templates.json.label }).click();
    await expect(app.getByLabel('HTTP Method', { exact: true })).toHaveValue('POST');

    // Changes a field of a node, and undoes that.
    await app.getByLabel('Path', { exact: true }).fill('greet');
    await button(workflowStrings.page.undo).click();
    await expect(app.getByLabel('Path', { exact: true })).toHaveValue('hello');
    await button(workflowStrings.page.redo).click();
    await expect(app.getByText(workflowStrings.page.unsaved)).toBeVisible();

    // Leaving loses nothing and asks nothing.
    await app.getByRole('link', { name: workflowStrings.page.back }).click();
    await button(workflowStrings.page.goBack).click();
    await expect(app.getByLabel('Path', { exact: true })).toHaveValue('greet');
    await expect(app.getByText(workflowStrings.page.unsaved)).toBeVisible();

    // Listening saves the workflow first. Code of the page makes the call.
    await button(workflowStrings.address.listen).click();
    await expect(app.getByText(workflowStrings.address.listening)).toBeVisible();
    await expect(app.getByText(workflowStrings.page.saved)).toBeVisible();
    await expect.poll(() => post('/webhook-test/greet', { name: 'Ada' })).toEqual([200, '{"hello":"Ada"}']);
    await expect(app.getByText(workflowStrings.address.received)).toBeVisible();

    // With the data of a run, an expression shows its value while the user types.
    await app
      .getByRole('button', { name: /^Respond to Webhook/ })
      .first()
      .click();
    const body = app.getByLabel('Response Body', { exact: true });
    await body.fill('{ "greeting": "Hi {{ $json.body.name }}" }');
    await expect(app.getByText('{ "greeting": "Hi Ada" }')).toBeVisible();

    await button(workflowStrings.publish).click();
    await expect(app.getByText(workflowStrings.published, { exact: true })).toBeVisible();
    expect(await post('/webhook/greet', { name: 'Eve' })).toEqual([200, '{"greeting":"Hi Eve"}']);

    await app.getByRole('link', { name: workflowStrings.page.executions, exact: true }).click();
    await expect(app.getByRole('link', { name: workflowStrings.run.open('2') })).toBeVisible();
    await expectAccessible(app);
    await app.getByRole('link', { name: workflowStrings.run.open('2') }).click();
    await expect(app.getByRole('heading', { name: workflowStrings.run.heading('2') })).toBeVisible();
    await expect(app.getByRole('region', { name: 'Webhook', exact: true })).toContainText('{"name":"Eve"}');
    await expectAccessible(app);
    await button(workflowStrings.run.replay).click();
    await expect(app.getByRole('heading', { name: workflowStrings.run.heading('3') })).toBeVisible();
    await expect(
      app.getByRole('status').filter({ hasText: workflowStrings.run.states.success }),
    ).toBeVisible();

    await app.goto(`http://localhost:${shim.ports.app}/#/workflows`);
    await expect(app.getByRole('listitem').filter({ hasText: 'POST /webhook/greet' })).toContainText(
      workflowStrings.run.states.success,
    );
    await expectAccessible(app);
    await app.getByRole('link', { name: workflowStrings.credential.heading, exact: true }).click();
    await expect(app.getByText(workflowStrings.credential.none)).toBeVisible();
    await expectAccessible(app);
    await app.getByRole('link', { name: workflowStrings.heading, exact: true }).last().click();
    await app.getByRole('link', { name: 'Say hello' }).click();
    await expect(app.getByLabel('Path', { exact: true })).toHaveValue('greet');
    await expectAccessible(app);
  } finally {
    await page.close();
    await shim.stop();
    await removeHome(home);
  }
});
