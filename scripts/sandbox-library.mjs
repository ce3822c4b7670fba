// Bundles `core/webhooks/sandbox/library/` (what runs inside of QuickJS) into `core/webhooks/sandbox/library.json`.
// `--check` changes nothing and fails when the file is not what the sources give.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../core/webhooks/sandbox/${path}`, import.meta.url));
const target = at('library.json');

/** One script whose value is the default export of the entry. */
async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [at(`library/${entry}.ts`)],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: '__library',
    minify: true,
    // Names of classes show in messages.
    keepNames: false,
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
  });
  return `(function () { ${outputFiles[0].text}\nreturn __library.default; })()`;
}

const library = `${JSON.stringify({ expressions: await bundle('expressions'), code: await bundle('code') }, null, 2)}\n`;
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== library) {
    console.error(
      'core/webhooks/sandbox/library.json is out of date: run `node scripts/sandbox-library.mjs`',
    );
    process.exit(1);
  }
} else writeFileSync(target, library);
