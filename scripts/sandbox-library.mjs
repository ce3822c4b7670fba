// Bundles `core/webhooks/sandbox/library/`, which runs within QuickJS, into
// `core/webhooks/sandbox/library.json`. It also writes AlaSQL into `sql-library.json`. Neither file is in the
// repository.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { writeIfChanged } from './write-if-changed.mjs';

const inSandbox = (path) => fileURLToPath(new URL(`../core/webhooks/sandbox/${path}`, import.meta.url));

export default async function makeSandboxLibrary() {
  const { build } = await import('esbuild');
  // The bundle is one script. Its value is the default export of the entry.
  const bundle = async (entry) => {
    const { outputFiles } = await build({
      entryPoints: [inSandbox(`library/${entry}.ts`)],
      bundle: true,
      write: false,
      format: 'iife',
      globalName: '__library',
      minify: true,
      target: 'es2022',
      charset: 'ascii',
      legalComments: 'none',
    });
    return `(function () { ${outputFiles[0].text}\nreturn __library.default; })()`;
  };
  const [expressions, code] = await Promise.all([bundle('expressions'), bundle('code')]);
  writeIfChanged(inSandbox('library.json'), { expressions, code });
  const sql = createRequire(import.meta.url)
    .resolve('alasql')
    .replace(/[^\\/]+$/, 'alasql.min.js');
  writeIfChanged(inSandbox('sql-library.json'), { source: readFileSync(sql, 'utf8') });
}
