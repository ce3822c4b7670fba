/**
 * `npm run screenshots` creates the documentation's images of the app in docs/images. `-- --out DIR` creates
 * images of all screens in DIR: light and dark, wide and narrow. `--only NAME,NAME` restricts both.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium, type Page } from '@playwright/test';
import { smollm2 } from '#test/support/model-files/weights.ts';
import { chromiumLaunch } from '#test/support/processes/chromium.ts';
import { makeHome, removeHome } from '#test/support/processes/node-home.ts';
import { startShim } from '#test/support/processes/shim.ts';
import { openAppTab } from '#test/support/processes/tab.ts';
import { prepare } from './content.ts';
import type { Scene, SceneRequirement } from './scene.ts';
import { scenes } from './scenes.ts';
import { webp } from './webp.ts';

const HELP = `npm run screenshots                    images for the documentation, into docs/images
npm run screenshots -- --out DIR       all screens, light and dark, wide and narrow, into DIR
npm run screenshots -- --only a,b      only these: ${scenes.map(({ name }) => name).join(', ')}`;

const SIZES = {
  wide: { width: 1280, height: 800 },
  narrow: { width: 390, height: 844 },
} as const;

interface Screenshot {
  scene: Scene;
  size: keyof typeof SIZES;
  colors: 'light' | 'dark';
  file: string;
}

/** Clean-up steps. They run in reverse order, also after an interrupt. */
const cleanUpSteps: (() => Promise<unknown>)[] = [];
let runningCleanUp: Promise<void> | undefined;
function cleanUp(): Promise<void> {
  runningCleanUp ??= (async () => {
    for (const step of cleanUpSteps.reverse())
      await step().catch((error) => console.error(`cleaning up: ${error}`));
  })();
  return runningCleanUp;
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().then(() => process.exit(130)));
}

try {
  const { values } = parseArgs({
    options: { out: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) console.log(HELP);
  else await makeScreenshots(values.out, values.only?.split(','));
} catch (error) {
  console.error(`screenshots: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await cleanUp();
}

async function makeScreenshots(out: string | undefined, only: string[] | undefined): Promise<void> {
  const unknown = only?.filter((name) => !scenes.some((scene) => scene.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`there is no screen ${unknown.join(', ')}\n${HELP}`);
  const chosen = scenes
    .filter(({ name, shown }) => (only ? only.includes(name) : out !== undefined || shown))
    // The documentation's images come first, so that an interrupted run has them.
    .toSorted((a, b) => Number(b.shown ?? false) - Number(a.shown ?? false));
  const folder = out ?? fileURLToPath(new URL('../../docs/images', import.meta.url));
  const all = chosen.flatMap((scene) => screenshotsOf(scene, out === undefined));
  await mkdir(folder, { recursive: true });

  const home = await makeHome([{ name: 'smollm2:135m', path: await smollm2() }]);
  cleanUpSteps.push(() => removeHome(home));
  // Workflows show this port in their addresses.
  const shim = await startShim(home, { ports: { webhooks: 5678 } });
  cleanUpSteps.push(() => shim.stop());
  // Only a profile on disk stores data: a private window would not.
  const profile = await mkdtemp(join(tmpdir(), 'tabd-screenshots-'));
  cleanUpSteps.push(() => rm(profile, { recursive: true, force: true }));
  const context = await chromium.launchPersistentContext(profile, {
    ...(await chromiumLaunch()),
    viewport: SIZES.wide,
    deviceScaleFactor: 2,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  cleanUpSteps.push(() => context.close());
  // The TypeScript loader calls this helper, also in functions that are sent to the page.
  await context.addInitScript('globalThis.__name = (fn) => fn;');

  const page = await openAppTab(context, `http://localhost:${shim.ports.app}`, '/#/');
  const broken: string[] = [];
  page.on('pageerror', (error) => broken.push(String(error)));
  const failures: Error[] = [];
  const takeScreenshots = async (
    when: Scene['when'],
    missing: ReadonlyMap<SceneRequirement, Error> = new Map(),
  ) => {
    for (const screenshot of all.filter(({ scene }) => scene.when === when)) {
      if (screenshot.scene.needs?.some((need) => missing.has(need))) continue;
      await takeScreenshot(page, screenshot, folder).catch((error) => failures.push(error));
    }
    failures.push(...missing.values());
  };
  await takeScreenshots('empty');
  if (chosen.some(({ when }) => when === 'full'))
    await takeScreenshots('full', await prepare(page, chosen, folder));
  failures.push(...broken.map((error) => new Error(`the page failed: ${error}`)));
  if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join('\n'));
}

function screenshotsOf(scene: Scene, forDocs: boolean): Screenshot[] {
  const { name } = scene;
  if (forDocs) {
    return (['light', 'dark'] as const).map((colors) => ({
      scene,
      size: 'wide',
      colors,
      file: colors === 'light' ? `${name}.webp` : `${name}-dark.webp`,
    }));
  }
  return (['wide', 'narrow'] as const).flatMap((size) =>
    (['light', 'dark'] as const).map((colors) => ({
      scene,
      size,
      colors,
      file: `${name}-${size}-${colors}.webp`,
    })),
  );
}

async function takeScreenshot(
  page: Page,
  { scene, size, colors, file }: Screenshot,
  folder: string,
): Promise<void> {
  try {
    await page.setViewportSize(SIZES[size]);
    await page.emulateMedia({ colorScheme: colors, reducedMotion: 'reduce' });
    await scene.show(page, size);
    await page.evaluate(removeFocusRing);
    // The mouse must not hover over a button.
    await page.mouse.move(0, 0);
    await page.waitForTimeout(400);
    const image = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    const bytes = await webp(page, image);
    await writeFile(join(folder, file), bytes);
    console.log(`${file}  ${Math.round(bytes.length / 1000)} kB`);
  } catch (cause) {
    const shot = join(folder, `failed-${file.replace('webp', 'png')}`);
    await page.screenshot({ path: shot }).catch(() => {});
    throw new Error(`${file} could not be made (what was shown: ${shot}): ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** Removes the focus ring. Runs in the page. */
function removeFocusRing(): void {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  (focused as HTMLElement | null)?.blur();
}
