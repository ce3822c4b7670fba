import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'scripts/sandbox-library.mjs',
    include: ['{core,embed,node-shim,sw,web,workers,scripts}/**/*.test.ts', 'test/unit/**/*.test.ts'],
    // Tests run beside each other on few cores; none of them is about time.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    exclude: ['**/node_modules/**', '**/dist/**'],
  },
});
