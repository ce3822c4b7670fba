/** Every export of the package has an `@example` in its docstring. All are type-checked; those in plain `ts` are run. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Example, exportedExamples } from '#test/support/package-examples.ts';
import manifest from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));
/** In the repository, so that imports of packages resolve. */
const folder = join(root, '.cache/package-examples');

/** The address of the worker, for which the app's build would bundle it. */
vi.mock('../../web/client/default-files.ts', () => ({
  defaultServiceWorker: './sw.js',
  defaultWorker: () => new URL('https://site.example/server.worker.js'),
}));

/** The source of each entry of the package, by the name that sites import. */
const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string'
    ? []
    : [
        [
          path.replace('.', 'tabd'),
          target.types.replace('./dist/types/', '').replace('.d.ts', '.ts'),
        ] as const,
      ],
);
const examples = entries.flatMap(([entry, file]) =>
  exportedExamples(root, file).map((example) => ({ entry, ...example })),
);
const fileOf = (index: number) => join(folder, `example-${index}.ts`);

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('covers all entries and exports', () => {
  expect(entries.map(([entry]) => entry)).toEqual([
    'tabd',
    'tabd/sw',
    'tabd/websocket',
    'tabd/share',
    'tabd/remote',
    'tabd/vite',
  ]);
  const names = new Set(examples.map(({ entry, name }) => `${entry} ${name}`));
  for (const name of [
    'tabd start',
    'tabd ApiName',
    'tabd/sw handle',
    'tabd/share Grant',
    'tabd/vite default',
  ])
    expect(names).toContain(name);
});

it.each(examples)('$entry exports $name with an example', ({ code }) => {
  expect(code).toBeDefined();
});

it('type-checks all examples', { timeout: 60_000 }, () => {
  const config = {
    extends: '../../tsconfig.base.json',
    compilerOptions: {
      lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable', 'WebWorker'],
      types: ['node', 'vite/client'],
      noUnusedLocals: false,
      moduleDetection: 'force',
      paths: Object.fromEntries(entries.map(([entry, file]) => [entry, [join(root, file)]])),
    },
    include: ['example-*.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  for (const [index, { code }] of examples.entries())
    if (code !== undefined) writeFileSync(fileOf(index), code);
  expect(typeErrors()).toBe('');
  // Checks the check itself: it must be able to fail.
  writeFileSync(fileOf(examples.length), "import { start } from 'tabd';\nawait start({ apis: ['none'] });\n");
  expect(typeErrors()).toContain('\'"none"\' is not assignable');
});

function typeErrors(): string {
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], {
      encoding: 'utf8',
    });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe('runs', () => {
  const runnable = examples.flatMap((example: Example & { entry: string }, index) =>
    example.code === undefined || example.needsBrowser ? [] : [{ ...example, code: example.code, index }],
  );
  it('at least ten examples', () => expect(runnable.length).toBeGreaterThan(10));

  it.each(runnable)('the example of $name of $entry', async ({ code, index }) => {
    const expected = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
    const sources = new Map(entries);
    const path = join(folder, `run-${index}.ts`);
    writeFileSync(
      path,
      code.replace(/from '(tabd[^']*)'/g, (_, entry: string) => `from '${join(root, sources.get(entry)!)}'`),
    );
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    try {
      await import(/* @vite-ignore */ path);
      expect(log.mock.calls.map((values) => values.join(' '))).toEqual(expected);
    } finally {
      log.mockRestore();
    }
    expect(readFileSync(path, 'utf8')).not.toContain("from 'tabd");
  });
});
