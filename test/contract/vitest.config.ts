import { defineConfig } from 'vitest/config';

const transports = process.env.TABD_CONTRACT?.split(',');

export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    globalSetup: 'scripts/generated-files.mjs',
    include: transports
      ? transports.map((name) => `test/contract/${name}.test.ts`)
      : ['test/contract/*.test.ts', 'test/{clients,faults,upgrade}/**/*.test.ts'],
    // The first load of a model or a browser takes long on a small machine.
    testTimeout: 240_000,
    hookTimeout: 180_000,
    // The threads of a model wait for each other by spinning. On two cores, two concurrent models take four
    // times as long as one after the other.
    fileParallelism: false,
  },
});
