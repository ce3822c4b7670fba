import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    globalSetup: 'scripts/sandbox-library.mjs',
    include: ['test/{contract,clients,faults}/**/*.test.ts'],
    // Loading the model for the first time, or a browser, takes a while on a small machine.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    fileParallelism: false,
  },
});
