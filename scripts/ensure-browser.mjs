// Finds a Chromium for the tests, or installs one. `node scripts/ensure-browser.mjs` prints its path.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Finds a Chromium: `TABD_CHROMIUM`, one on PATH, or Playwright's own. Undefined if there is none. */
export async function findBrowser() {
  const chosen = process.env.TABD_CHROMIUM;
  if (chosen) {
    if (!existsSync(chosen)) throw new Error(`TABD_CHROMIUM names ${chosen}, which does not exist`);
    return chosen;
  }
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const found = NAMES.map((name) => join(folder, name)).find((path) => existsSync(path));
    if (found) return found;
  }
  const { chromium } = await import('@playwright/test');
  const bundledPath = chromium.executablePath();
  return existsSync(bundledPath) ? bundledPath : undefined;
}

/** Finds a Chromium or installs one: Playwright's, or else Debian's as root. The error says what to do. */
export async function ensureBrowser(log = console.error) {
  const found = await findBrowser();
  if (found) return found;
  log('No Chromium found: installing the one of Playwright');
  const cli = fileURLToPath(new URL('../node_modules/@playwright/test/cli.js', import.meta.url));
  spawnSync(process.execPath, [cli, 'install', 'chromium'], { stdio: ['ignore', 2, 2], timeout: 300_000 });
  const own = await findBrowser();
  if (own) return own;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    log("That did not work: installing Debian's chromium");
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 2, 2], env });
    execFileSync('apt-get', ['install', '-y', '-qq', 'chromium'], { stdio: ['ignore', 2, 2], env });
    const debian = await findBrowser();
    if (debian) return debian;
  }
  throw new Error(
    'There is no Chromium here and none could be installed. Install one (npx playwright install chromium, or ' +
      'apt-get install chromium) or name one in TABD_CHROMIUM.',
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await ensureBrowser());
