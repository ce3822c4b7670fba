import { defineConfig } from 'vitest/config';

const transports = process.env.TABD_CONTRACT?.split(',');

const shared = {
  root: new URL('../..', import.meta.url).pathname,
  // The first load of a model or a browser takes long on a small machine.
  testTimeout: 240_000,
  hookTimeout: 180_000,
};
const tables = {
  test: {
    ...shared,
    name: 'tables',
    include: transports
      ? transports.map((name) => `test/contract/${name}.test.ts`)
      : ['test/contract/*.test.ts'],
    // Rows wait for browsers and sockets, and their engine is scripted, so two transports share the cores well.
    maxWorkers: 2,
    sequence: { groupOrder: 1 },
  },
};
const clients = {
  test: {
    ...shared,
    name: 'clients',
    include: ['test/{clients,faults,upgrade}/**/*.test.ts'],
    // The threads of a model wait for each other by spinning. On two cores, two concurrent models take four
    // times as long as one after the other.
    maxWorkers: 1,
    sequence: { groupOrder: 2 },
  },
};

export default defineConfig({
  test: {
    root: shared.root,
    globalSetup: 'scripts/generated-files.mjs',
    projects: transports ? [tables] : [tables, clients],
  },
});
