/** Changing images in the images view: shapes, batches, a painted mask, and the comparison of two images. */

import { type Page, expect as quick, test } from '@playwright/test';
import { imageStrings as words } from '#web/app/strings/images.ts';
import { writeEmojiModel } from '../../support/model-files/emoji-model.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { filesOfTab, openAppTab } from '../../support/processes/tab.ts';
import { expectAccessible } from '../support/accessible.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 90_000 });

/** Sums of the differences of two gallery images: in their left and in their right half. */
function differences(app: Page, newer: number, older: number): Promise<[left: number, right: number]> {
  return app.getByRole('listitem').evaluateAll(
    (items, at) => {
      const [first, second] = at.map((index) => {
        const image = items[index]!.querySelector('img')!;
        const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
        const context = canvas.getContext('2d')!;
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, canvas.width, canvas.height);
      });
      const sums: [number, number] = [0, 0];
      for (const [index, value] of first!.data.entries()) {
        const x = Math.floor(index / 4) % first!.width;
        sums[x < first!.width / 2 ? 0 : 1] += Math.abs(value - second!.data[index]!);
      }
      return sums;
    },
    [newer, older],
  );
}

async function setNumber(app: Page, label: string, value: string): Promise<void> {
  const field = app.getByLabel(label, { exact: true });
  await field.fill(value);
  await field.blur();
}

test('two images at once; then the right half of one is painted over and made again', async ({
  page,
  context,
}) => {
  test.setTimeout(240_000);
  const home = await makeHome([]);
  const shim = await startShim(home);
  try {
    const app = await openAppTab(context, `http://localhost:${shim.ports.app}`, '/#/images');
    // The page keeps what it knows of the first model in its list, so it must not list one whose files are half copied.
    await expect(app.getByRole('heading', { name: words.noModel })).toBeVisible();
    await writeEmojiModel(filesOfTab(app));
    await app.reload();
    await app
      .getByRole('textbox', { name: words.prompt, exact: true })
      .fill('a red heart on a blue background');
    await expect(app.getByLabel(words.width)).toHaveValue('128');

    const shapes = app.getByRole('group', { name: words.shape });
    await shapes.getByRole('button', { name: '3:2' }).click();
    await expect(app.getByLabel(words.width)).toHaveValue('160');
    await expect(app.getByLabel(words.height)).toHaveValue('112');
    await shapes.getByRole('button', { name: '1:1' }).click();
    await expect(app.getByLabel(words.width)).toHaveValue('128');

    await setNumber(app, words.steps, '2');
    await app.getByText(words.more, { exact: true }).click();
    await setNumber(app, words.count, '2');
    await app.getByRole('button', { name: words.make }).click();
    const images = app.getByRole('listitem').getByRole('img');
    await expect(images).toHaveCount(2);

    await images.first().click();
    const lightbox = app.getByRole('dialog', { name: words.picture });
    await lightbox.getByRole('button', { name: words.zoomIn }).click();
    await lightbox.getByRole('button', { name: words.compare }).click();
    await expect(lightbox.getByRole('slider', { name: words.compareAt })).toBeVisible();
    await expectAccessible(app);
    await lightbox.getByRole('button', { name: words.editImage }).click();

    await app
      .getByRole('textbox', { name: words.prompt, exact: true })
      .fill('a green tree on a yellow background');
    await app.getByRole('slider', { name: words.strength }).fill('1');
    await app.getByRole('slider', { name: words.brush }).fill('0.4');
    const canvas = app.getByRole('img', { name: words.paint });
    await canvas.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await canvas.boundingBox())!;
    await app.mouse.move(x + width * 0.85, y + height * 0.1);
    await app.mouse.down();
    await app.mouse.move(x + width * 0.85, y + height * 0.9, { steps: 8 });
    await app.mouse.up();
    await expectAccessible(app);
    await setNumber(app, words.count, '1');
    await app.getByRole('button', { name: words.make }).click();
    await expect(images).toHaveCount(3);
    // The new image is the first one; the one that it began with follows.
    const [left, right] = await differences(app, 0, 1);
    expect(left).toBe(0);
    expect(right).toBeGreaterThan(10_000);

    // The settings of an edit can be used again.
    await app.getByRole('textbox', { name: words.prompt, exact: true }).fill('other');
    await app.getByRole('listitem').first().getByRole('button', { name: words.use }).click();
    await expect(app.getByRole('textbox', { name: words.prompt, exact: true })).toHaveValue(
      'a green tree on a yellow background',
    );
    await app.getByRole('button', { name: words.removeStart }).click();
    await expect(app.getByRole('button', { name: words.chooseImage })).toBeVisible();
  } finally {
    await page.close();
    await shim.stop();
    await removeHome(home);
  }
});
