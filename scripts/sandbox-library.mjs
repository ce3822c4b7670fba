// Bundles `core/webhooks/sandbox/library/`, which runs within QuickJS, into
// `core/webhooks/sandbox/library.json`. It also writes AlaSQL into `sql-library.json`. Neither file is in the
// repository.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder } from './third-party/bundled-packages.mjs';
import { writeIfChanged } from './write-if-changed.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const inSandbox = (path) => fileURLToPath(new URL(`../core/webhooks/sandbox/${path}`, import.meta.url));

/** Returns the folders of the packages whose code the two files contain. */
export default async function makeSandboxLibrary() {
  const { build } = await import('esbuild');
  // The bundle is one script. Its value is the default export of the entry.
  const folders = new Set();
  const bundle = async (entry) => {
    const { outputFiles, metafile } = await build({
      entryPoints: [inSandbox(`library/${entry}.ts`)],
      bundle: true,
      write: false,
      format: 'iife',
      globalName: '__library',
      minify: true,
      target: 'es2022',
      charset: 'ascii',
      legalComments: 'none',
      metafile: true,
      absWorkingDir: root,
    });
    for (const path of Object.keys(metafile.inputs)) {
      const folder = packageFolder(join(root, path));
      if (folder) folders.add(folder);
    }
    return `(function () { ${outputFiles[0].text}\nreturn __library.default; })()`;
  };
  const [expressions, code] = await Promise.all([bundle('expressions'), bundle('code')]);
  writeIfChanged(inSandbox('library.json'), { expressions, code });
  const alasql = createRequire(import.meta.url).resolve('alasql');
  folders.add(packageFolder(alasql));
  const sql = alasql.replace(/[^\\/]+$/, 'alasql.min.js');
  writeIfChanged(inSandbox('sql-library.json'), { source: readFileSync(sql, 'utf8') });
  return folders;
}
