/** The images view of the app as a user sees it, with the small trained model. */

import { expect as quick, test } from '@playwright/test';
import { commonStrings } from '#web/app/strings/common.ts';
import { imageStrings } from '#web/app/strings/images.ts';
import { writeEmojiModel } from '../../support/model-files/emoji-model.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { filesOfTab, openAppTab } from '../../support/processes/tab.ts';
import { expectAccessible } from '../support/accessible.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 90_000 });
const words = imageStrings;

test('an image is created, stored, created again from its settings, and deleted', async ({
  page,
  context,
}) => {
  test.setTimeout(240_000);
  const home = await makeHome([]);
  const shim = await startShim(home);
  try {
    const app = await openAppTab(context, `http://localhost:${shim.ports.app}`, '/#/images');
    await expect(app.getByRole('heading', { name: words.noModel })).toBeVisible();
    await writeEmojiModel(filesOfTab(app));
    await app.reload();

    const prompt = app.getByRole('textbox', { name: words.prompt, exact: true });
    await prompt.fill('a red heart on a blue background');
    // The choice of the model sets its image size.
    await expect(app.getByLabel(words.width)).toHaveValue('128');
    await app.getByLabel(words.steps).fill('3');
    await app.getByLabel(words.steps).blur();
    await app.getByRole('button', { name: words.make }).click();
    const images = app.getByRole('listitem').getByRole('img', { name: 'a red heart on a blue background' });
    await expect(images).toHaveCount(1);
    const pixels = () =>
      images.first().evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]);
    await expect.poll(pixels).toEqual([128, 128]);

    await app.reload();
    await expect(images).toHaveCount(1);
    await prompt.fill('something else');
    await app.getByRole('button', { name: words.use }).click();
    await expect(prompt).toHaveValue('a red heart on a blue background');
    // Changes the settings, because the same ones would give the same image again.
    await app.getByLabel(words.steps).fill('4');
    await app.getByLabel(words.steps).blur();
    await app.getByRole('button', { name: words.make }).click();
    await expect(images).toHaveCount(2);
    await expectAccessible(app);

    await app.getByRole('button', { name: words.delete }).first().click();
    // The image is deleted as soon as its message is gone.
    await app.getByRole('button', { name: commonStrings.dismiss }).click();
    await expect(images).toHaveCount(1);

    // More steps than a test can wait for: a stop leaves no image.
    await app.getByLabel(words.steps).fill('100');
    await app.getByLabel(words.steps).blur();
    await app.getByRole('button', { name: words.make }).click();
    await app.getByRole('button', { name: words.stop }).click();
    await expect(app.getByRole('button', { name: words.make })).toBeVisible();
    const queue = () => app.evaluate(async () => (await fetch('/queue')).json());
    await expect.poll(queue).toEqual({ queue_running: [], queue_pending: [] });
    const finished = await app.evaluate(async () => {
      const history: { status: { status_str: string } }[] = Object.values(
        await (await fetch('/history')).json(),
      );
      return history.filter(({ status }) => status.status_str === 'success').length;
    });
    expect(finished).toBe(1);
  } finally {
    await page.close();
    await shim.stop();
    await removeHome(home);
  }
});
