// Bundles `core/webhooks/sandbox/library/`, which runs within QuickJS, into
// `core/webhooks/sandbox/library.json`. It also writes AlaSQL into `sql-library.json`. Neither file is in the
// repository: `npm ci`, the build, the type check and the tests create them if they are missing or out of
// date.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

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
  write(inSandbox('library.json'), { expressions, code });
  const sql = createRequire(import.meta.url)
    .resolve('alasql')
    .replace(/[^\\/]+$/, 'alasql.min.js');
  write(inSandbox('sql-library.json'), { source: readFileSync(sql, 'utf8') });
}

/** Writes a file only if its content changed, because builds compare times. */
function write(path, value) {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (current(path) !== text) writeFileSync(path, text);
}

function current(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await makeSandboxLibrary().catch((error) => {
    // esbuild is missing in an installation without development tools, which never builds from source.
    if (process.env.npm_lifecycle_event === 'prepare' && error.code === 'ERR_MODULE_NOT_FOUND') return;
    throw error;
  });
}
