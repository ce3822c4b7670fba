// Builds the pages of the browser tests, once for all of them. Their site is built with two dates: the second build
// counts as a newer version of the page. The other page is for tests of engines.
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export default async function buildSite() {
  // An earlier step built the pages from the same sources.
  if (process.env.TABD_SITE_BUILT) return;
  const { NODE_ENV } = process.env;
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
  await build({
    root: here('../fixture'),
    configFile: false,
    logLevel: 'warn',
    base: './',
    build: {
      outDir: here('../../../.cache/browser-fixture'),
      emptyOutDir: true,
      target: 'es2023',
      minify: false,
    },
    worker: { format: 'es' },
  });
  // Builds set it to production, and the server of the page of components would not have that page.
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
}
