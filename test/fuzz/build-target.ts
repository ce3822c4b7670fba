/** Bundles a target, and adds counters to its code. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { instrument } from './instrument.ts';
import type { FuzzTarget } from './target.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const output = fileURLToPath(new URL('../../.cache/fuzz', import.meta.url));

const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);";
const DEFAULT_MAX_TIME = 1000;

interface BuiltTarget {
  url: string;
  counters: number;
  words: string[];
  /** Milliseconds of processor time for one input. */
  maxTime: number;
}

export async function buildTarget(name: string): Promise<BuiltTarget> {
  const file = join(here, 'targets', `${name}.ts`);
  const { default: target } = (await import(pathToFileURL(file).href)) as { default: FuzzTarget };
  const { code, counters, words } = instrument(await bundle(file, target.measured ?? []));
  return {
    url: await save(`${name}.mjs`, code),
    counters,
    words,
    maxTime: target.maxTime ?? DEFAULT_MAX_TIME,
  };
}

/** The URL of the engine's bundle, which has no counters. */
export async function buildEngine(): Promise<string> {
  return save('engine.mjs', await bundle(join(here, 'engine.ts'), []));
}

async function bundle(entry: string, packages: readonly string[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    // Packages in CommonJS that are measured call `require` for Node's own modules.
    banner: { js: REQUIRE },
    plugins: [externalPackages(packages)],
  });
  return outputFiles[0]!.text;
}

/** Leaves packages to Node, except those whose code is measured. */
const externalPackages = (measured: readonly string[]): Plugin => ({
  name: 'external packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^.#/]/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined;
      const isMeasured = measured.some((name) => path === name || path.startsWith(`${name}/`));
      return isMeasured ? undefined : { path, external: true };
    });
  },
});

async function save(name: string, code: string): Promise<string> {
  await mkdir(output, { recursive: true });
  const path = join(output, name);
  await writeFile(path, code);
  return pathToFileURL(path).href;
}
