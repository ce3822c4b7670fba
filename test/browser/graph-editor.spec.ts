/** The graph editor of the app, as a person with a mouse uses it. */
import { type Page, expect as quick, test } from '@playwright/test';
import { strings } from '../../web/app/strings.ts';
import { makeHome, removeHome } from '../support/node-home.ts';
import { startShim } from '../support/shim.ts';
import { openTab } from '../support/tab.ts';
import { serveEmojiModel, storeEmojiModel } from './support/image-site.ts';

/** A busy processor may take its time. */
const expect = quick.configure({ timeout: 60_000 });
const words = strings.graph;

/** Nodes of the graph that the prompt form gives, by what they do. */
const LOADER = 1;
const DECODER = 6;
const SAVER = 7;

const node = (app: Page, id: number) => app.locator(`tabd-graph-node [aria-label$="node ${id}"]`);
const socket = (app: Page, id: number, side: string, key: string) =>
  node(app, id).locator(`.dot[data-side=${side}][data-key="${key}"]`);

async function drag(app: Page, from: ReturnType<typeof socket>, to: { x: number; y: number }) {
  const box = (await from.boundingBox())!;
  await app.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await app.mouse.down();
  await app.mouse.move(to.x, to.y, { steps: 4 });
  await app.mouse.up();
}

async function middleOf(place: ReturnType<typeof socket>) {
  const { x, y, width, height } = (await place.boundingBox())!;
  return { x: x + width / 2, y: y + height / 2 };
}

test('wires go where their types fit, and what is missing is said at the node', async ({ page, context }) => {
  test.setTimeout(180_000);
  const home = await makeHome([]);
  const shim = await startShim(home);
  try {
    const app = await openTab(context, `http://localhost:${shim.ports.app}`, '/#/images/graph');
    app.setDefaultTimeout(60_000);
    const crashes: string[] = [];
    app.on('pageerror', (error) => crashes.push(String(error)));
    await serveEmojiModel(app);
    await storeEmojiModel(app);
    await app.evaluate(() => localStorage.removeItem('tabd.graph'));
    await app.reload();
    await expect(node(app, SAVER)).toBeVisible();

    // A wire goes only where its type fits, and a node is added at the end of one.
    const ofVae = socket(app, DECODER, 'input', 'vae');
    // The graph is shown whole when all of it is there.
    await expect
      .poll(async () => {
        const { x, y } = await middleOf(ofVae);
        await app.waitForTimeout(200);
        const now = await middleOf(ofVae);
        return now.x === x && now.y === y;
      })
      .toBe(true);
    const away = await middleOf(ofVae).then(({ x, y }) => ({ x, y: y + 220 }));
    await drag(app, ofVae, away);
    await expect(ofVae).not.toHaveClass(/full/);
    await drag(app, socket(app, LOADER, 'output', '1'), await middleOf(ofVae));
    await expect(ofVae).not.toHaveClass(/full/);

    // What is missing is said at the node.
    await app.getByRole('button', { name: words.queue, exact: true }).click();
    await expect(node(app, DECODER)).toHaveClass(/bad/);
    await expect(node(app, DECODER).locator('.problem')).toContainText('Required input is missing');
    await drag(app, socket(app, LOADER, 'output', '2'), await middleOf(ofVae));
    await expect(ofVae).toHaveClass(/full/);
    await expect(node(app, DECODER)).not.toHaveClass(/bad/);
    await drag(app, socket(app, DECODER, 'output', '0'), away);
    await app.keyboard.type('preview im');
    await app.keyboard.press('Enter');
    await expect(node(app, 8)).toContainText('Preview Image');
    await app.keyboard.press('Control+z');
    await expect(node(app, 8)).toHaveCount(0);

    expect(crashes).toEqual([]);
  } finally {
    await page.close();
    await shim.stop();
    await removeHome(home);
  }
});
