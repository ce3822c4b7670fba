/** The graph editor of the app as a user sees it: image graphs with the small trained model, and workflows. */

import { readFile } from 'node:fs/promises';
import { type Page, expect as quick, test } from '@playwright/test';
import { graphStrings } from '#web/app/graph-editor/strings.ts';
import { workflowStrings as workflowWords } from '#web/app/strings/workflows.ts';
import { writeEmojiModel } from '../../support/model-files/emoji-model.ts';
import { makeHome, removeHome } from '../../support/processes/node-home.ts';
import { startShim } from '../../support/processes/shim.ts';
import { filesOfTab, openAppTab } from '../../support/processes/tab.ts';
import { expectAccessible } from '../support/accessible.ts';

/** A model is slow on a busy processor. */
const expect = quick.configure({ timeout: 60_000 });
/** A seed with more digits than a double has. */
const SEED = '18446744073709551615';

/** The nodes of the graph that the prompt form creates, by their purpose. */
const LOADER = 1;
const TEXT = 2;
const SAMPLER = 5;
const DECODER = 6;
const SAVER = 7;

const node = (app: Page, id: number) => app.locator(`tabd-graph-node [aria-label$="node ${id}"]`);
const socket = (app: Page, id: number, side: string, key: string) =>
  node(app, id).locator(`.dot[data-side=${side}][data-key="${key}"]`);
const item = (app: Page, id: number) => app.locator(`[data-node="${id}"]`);

type Place = { x: number; y: number };

async function drag(app: Page, from: Place, to: Place) {
  await app.mouse.move(from.x, from.y);
  await app.mouse.down();
  await app.mouse.move(to.x, to.y, { steps: 4 });
  await app.mouse.up();
}

async function middleOf(place: ReturnType<typeof socket>): Promise<Place> {
  const { x, y, width, height } = (await place.boundingBox())!;
  return { x: x + width / 2, y: y + height / 2 };
}

/** The graph is visible as soon as all of its nodes are. */
async function settled(app: Page, place: ReturnType<typeof socket>) {
  await expect
    .poll(async () => {
      const { x, y } = await middleOf(place);
      await app.waitForTimeout(200);
      const now = await middleOf(place);
      return now.x === x && now.y === y;
    })
    .toBe(true);
}

test('a graph is connected, repaired, grouped, run, changed, and read again from files and its image', async ({
  page,
  context,
}) => {
  test.setTimeout(240_000);
  const home = await makeHome([]);
  const shim = await startShim(home);
  try {
    const app = await openAppTab(context, `http://localhost:${shim.ports.app}`, '/#/images/graph');
    app.setDefaultTimeout(60_000);
    const crashes: string[] = [];
    app.on('pageerror', (error) => crashes.push(String(error)));
    await writeEmojiModel(filesOfTab(app));
    await app.evaluate(() => localStorage.removeItem('tabd.graph'));
    await app.reload();
    await expect(node(app, SAVER)).toBeVisible();

    // A link connects only matching types. Dropping its end elsewhere adds a node.
    const ofVae = socket(app, DECODER, 'input', 'vae');
    await settled(app, ofVae);
    const away = await middleOf(ofVae).then(({ x, y }) => ({ x, y: y + 220 }));
    await drag(app, await middleOf(ofVae), away);
    await expect(ofVae).not.toHaveClass(/full/);
    await drag(app, await middleOf(socket(app, LOADER, 'output', '1')), await middleOf(ofVae));
    await expect(ofVae).not.toHaveClass(/full/);

    // The error of a missing input appears at the node.
    await app.getByRole('button', { name: graphStrings.queue, exact: true }).click();
    await expect(node(app, DECODER)).toHaveClass(/bad/);
    await expect(node(app, DECODER).locator('.problem')).toContainText('Required input is missing');
    await drag(app, await middleOf(socket(app, LOADER, 'output', '2')), await middleOf(ofVae));
    await expect(ofVae).toHaveClass(/full/);
    await expect(node(app, DECODER)).not.toHaveClass(/bad/);
    await drag(app, await middleOf(socket(app, DECODER, 'output', '0')), away);
    await app.keyboard.type('preview im');
    await app.keyboard.press('Enter');
    await expect(node(app, 8)).toContainText('Preview Image');
    await app.keyboard.press('Control+z');
    await expect(node(app, 8)).toHaveCount(0);

    // Two nodes move with their group.
    await node(app, DECODER).locator('header').click();
    await node(app, SAVER)
      .locator('header')
      .click({ modifiers: ['Shift'] });
    await app.keyboard.press('Control+g');
    await app
      .getByRole('dialog', { name: graphStrings.groupEdit })
      .getByLabel(graphStrings.groupTitle)
      .fill('the end');
    await app.keyboard.press('Enter');
    const group = app.getByRole('group', { name: graphStrings.groupNamed('the end') });
    const [before, other] = [await middleOf(node(app, SAVER)), await middleOf(node(app, LOADER))];
    const title = await group.locator('.name').boundingBox();
    const grip = { x: title!.x + 40, y: title!.y + title!.height / 2 };
    await drag(app, grip, { x: grip.x + 60, y: grip.y + 30 });
    await expect.poll(async () => Math.round((await middleOf(node(app, SAVER))).x - before.x)).toBe(60);
    expect(await middleOf(node(app, LOADER))).toEqual(other);
    await expectAccessible(app);

    // In the outline, the keyboard alone does the same.
    await app.getByRole('button', { name: graphStrings.outline }).press('Enter');
    await expect(app.getByRole('listitem', { name: graphStrings.groupNamed('the end') })).toContainText(
      'VAE Decode',
    );
    await item(app, TEXT)
      .getByRole('button', { name: `${graphStrings.rename}…` })
      .press('Enter');
    const dialog = app.getByRole('dialog', { name: graphStrings.rename });
    await dialog.getByRole('textbox').fill('what to draw');
    await app.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(item(app, TEXT)).toContainText('what to draw');
    await app.keyboard.press('Control+z');
    await item(app, TEXT).getByRole('textbox', { name: 'text' }).fill('a red heart');
    for (const [name, value] of [
      ['seed', SEED],
      ['steps', '2'],
      ['cfg', '1'],
    ] as const) {
      await item(app, SAMPLER).getByRole('spinbutton', { name, exact: true }).fill(value);
    }
    await item(app, SAMPLER).getByLabel(graphStrings.afterRun('seed')).selectOption('fixed');
    await app.keyboard.press('Control+Enter');
    await expect(item(app, SAVER).locator('.results img')).toHaveCount(1);
    await expect(item(app, SAMPLER)).toContainText(graphStrings.done);
    await app.getByRole('button', { name: graphStrings.canvas }).click();
    const drawn = node(app, SAVER).getByRole('img');
    await expect.poll(() => drawn.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(128);

    // Exports files. The saved file, the run in the history and the image contain the same graph.
    const inMenu = async (name: string) => {
      await app.getByRole('button', { name: graphStrings.file, exact: true }).click();
      await app.getByRole('button', { name, exact: true }).click();
    };
    const exported = async (name: string) => {
      const [download] = await Promise.all([app.waitForEvent('download'), inMenu(name)]);
      return readFile(await download.path(), 'utf8');
    };
    const ran = await exported(graphStrings.exportApi);
    expect(ran).toContain(`"seed": ${SEED}`);
    const saved = await exported(graphStrings.save);
    const expectAsRan = async () => {
      const now = await exported(graphStrings.exportApi);
      expect(now).toContain(`"seed": ${SEED}`);
      expect(JSON.parse(now)).toEqual(JSON.parse(ran));
    };
    const placesIn = (text: string) =>
      new Map(JSON.parse(text).nodes.map(({ id, pos }: { id: number; pos: unknown }) => [id, pos]));
    const imageData = await drawn.evaluate(async (image: HTMLImageElement) =>
      btoa(String.fromCharCode(...new Uint8Array(await (await fetch(image.src)).arrayBuffer()))),
    );
    const nodes = app.locator('tabd-graph-node');
    const canvas = app.getByRole('group', { name: graphStrings.canvasLabel });
    const empty = async () => {
      await canvas.focus();
      await app.keyboard.press('Control+a');
      await app.keyboard.press('Delete');
      await expect(nodes).toHaveCount(0);
    };

    // Copies nodes with their links, and undoes that. Arranges a disordered graph, and undoes that.
    await canvas.focus();
    await app.keyboard.press('Control+a');
    await app.keyboard.press('Control+c');
    await app.keyboard.press('Control+v');
    await expect(nodes).toHaveCount(14);
    expect((await exported(graphStrings.exportApi)).match(/"class_type": "VAEDecode"/g)).toHaveLength(2);
    await canvas.focus();
    await app.keyboard.press('Control+z');
    await expect(nodes).toHaveCount(7);
    await app.keyboard.press('Control+Shift+z');
    await expect(nodes).toHaveCount(14);
    await app.keyboard.press('Control+z');
    const places = () => Promise.all([LOADER, SAMPLER, DECODER, SAVER].map((id) => middleOf(node(app, id))));
    const inOrder = async () => {
      const across = (await places()).map(({ x }) => x);
      return across.every((x, at) => at === 0 || x > across[at - 1]!);
    };
    await node(app, SAMPLER)
      .locator('header')
      .dragTo(canvas, {
        targetPosition: { x: 40, y: 40 },
        force: true,
      });
    expect(await inOrder()).toBe(false);
    const mess = await exported(graphStrings.save);
    await canvas.focus();
    await app.keyboard.press('l');
    await expect.poll(inOrder).toBe(true);
    await app.keyboard.press('Control+z');
    expect(await exported(graphStrings.save)).toBe(mess);

    await empty();
    const chooser = app.waitForEvent('filechooser');
    await inMenu(graphStrings.open);
    await (await chooser).setFiles({ name: 'graph.json', mimeType: '', buffer: Buffer.from(saved) });
    await expect(node(app, SAVER)).toBeVisible();
    await expect(group).toBeVisible();
    await expectAsRan();
    expect(placesIn(await exported(graphStrings.save))).toEqual(placesIn(saved));

    await empty();
    await app.getByRole('button', { name: graphStrings.runs.button(0) }).click();
    const history = app.getByRole('list', { name: graphStrings.runs.history });
    await expect(history.getByRole('img')).toHaveCount(1);
    await expectAccessible(app);
    await history.getByRole('button', { name: graphStrings.runs.open }).click();
    await expect(node(app, SAVER)).toBeVisible();
    await expectAsRan();
    await app.getByRole('button', { name: graphStrings.close, exact: true }).click();

    await empty();
    await app.locator('tabd-graph-editor').evaluate((target, base64) => {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], 'drawn.png', { type: 'image/png' }));
      const dropped = { dataTransfer, bubbles: true, composed: true, cancelable: true };
      target.dispatchEvent(new DragEvent('drop', dropped));
    }, imageData);
    await expect(node(app, SAVER)).toBeVisible();
    await expect(group).toBeVisible();
    await expectAsRan();

    // More steps than a test can wait for: the running node is highlighted, and the run is interrupted.
    await app.getByRole('button', { name: graphStrings.outline }).click();
    await expectAccessible(app);
    await item(app, SAMPLER).getByRole('spinbutton', { name: 'steps' }).fill('500');
    await app.keyboard.press('Control+Enter');
    await expect(item(app, SAMPLER)).toHaveClass(/running/);
    await app.getByRole('button', { name: graphStrings.stop, exact: true }).click();
    await expect(app.getByText(graphStrings.interrupted)).toBeVisible();

    // A workflow in the same editor: a node at the end of a link, undone on the page.
    await app.goto(`http://localhost:${shim.ports.app}/#/workflows`);
    await app.getByRole('button', { name: workflowWords.templates.json.label }).click();
    await app.getByRole('link', { name: workflowWords.page.canvas }).click();
    const named = (name: string) => app.locator(`tabd-graph-node [aria-label="${name}"]`);
    const end = named('Respond to Webhook').locator('.dot.output');
    await settled(app, end);
    await drag(app, await middleOf(end), await middleOf(end).then(({ x, y }) => ({ x: x - 40, y: y + 130 })));
    await app.keyboard.type('limit');
    await app.keyboard.press('Enter');
    await expect(named('Limit')).toBeVisible();
    await expect(app.getByLabel('Max Items', { exact: true })).toBeVisible();
    await expectAccessible(app);
    await app.getByRole('button', { name: workflowWords.page.undo, exact: true }).first().click();
    await expect(named('Limit')).toHaveCount(0);

    expect(crashes).toEqual([]);
  } finally {
    await page.close();
    await shim.stop();
    await removeHome(home);
  }
});
