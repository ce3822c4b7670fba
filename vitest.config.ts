import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{core,node-shim,sw,web,workers,scripts}/**/*.test.ts', 'test/unit/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
  },
});
