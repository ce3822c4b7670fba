import { defineConfig } from 'vitest/config';

/** The tests that a mutation run may use: those below the folders that `run.ts` names. */
const folders = (process.env.TABD_MUTATION_TESTS ?? 'core').split(' ');

export default defineConfig({
  test: {
    // Without the sandbox library the files that import it fail to load, and all their mutants seem to survive.
    globalSetup: 'scripts/sandbox-library.mjs',
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    exclude: ['**/node_modules/**', '**/*.weights.test.ts'],
    // A test that never settles, because of a mutant, holds up the run until this limit.
    testTimeout: 5_000,
    hookTimeout: 10_000,
  },
});
