import { defineConfig } from 'vitest/config';

const transports = process.env.TABD_CONTRACT?.split(',');

const shared = {
  root: new URL('../..', import.meta.url).pathname,
  // The first load of a model or a browser takes long on a small machine.
  testTimeout: 240_000,
  hookTimeout: 180_000,
  maxWorkers: 2,
  setupFiles: ['test/support/processes/bind-worker.ts'],
};
const tables = {
  test: {
    ...shared,
    name: 'tables',
    include: transports
      ? transports.map((name) => `test/contract/${name}.test.ts`)
      : ['test/contract/*.test.ts'],
  },
};
const clients = {
  test: {
    ...shared,
    name: 'clients',
    include: ['test/{clients,faults,upgrade}/**/*.test.ts'],
  },
};

export default defineConfig({
  test: {
    root: shared.root,
    globalSetup: 'scripts/generated-files.mjs',
    projects: transports ? [tables] : [tables, clients],
  },
});
