/** `npx tsx scripts/gpu/bundle.ts DIST PAGE`: bundles the rows and the replay into a package's `dist`, and the replay's page. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { buildReplayPage } from '#test/checkpoints/replay-in-browser.ts';

const [dist, page] = process.argv.slice(2);
if (!dist || !page) throw new Error('usage: npx tsx scripts/gpu/bundle.ts DIST PAGE');
const { dependencies, optionalDependencies } = JSON.parse(readFileSync('node-shim/package.json', 'utf8'));

// Next to the package's own programs, so that the bundles start its engine processes.
await build({
  entryPoints: { rows: 'scripts/gpu/rows/rows.ts', replay: 'test/checkpoints/replay.ts' },
  outdir: resolve(dist),
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
  alias: { '@playwright/test': 'playwright-core' },
  external: [
    ...Object.keys({ ...dependencies, ...optionalDependencies }),
    'playwright-core',
    'vite',
    'webgpu',
  ],
  banner: { js: "import { createRequire as _r } from 'node:module'; const require = _r(import.meta.url);" },
});
await buildReplayPage(resolve(join(page)));
