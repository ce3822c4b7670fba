// Builds the site of the browser tests, as of two dates: the second is a newer version of the same page.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export default async function buildSite() {
  for (const [version, date] of [
    ['old', '1000'],
    ['new', '2000'],
  ]) {
    process.env.TABD_BUILD = date;
    process.env.TABD_SITE = here(`../../../.cache/browser-site/${version}`);
    for (const mode of ['pages', 'sw', 'site-sw']) {
      await build({ configFile: here('vite.config.ts'), mode, logLevel: 'warn' });
    }
  }
}
