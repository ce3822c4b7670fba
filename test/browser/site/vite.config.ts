/** Builds the site that the browser tests visit. `mode` selects its pages, or one of its service workers. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const define = { __TABD_BUILD__: process.env.TABD_BUILD ?? '1' };
const worker = { format: 'es' } as const;

export default defineConfig(({ mode }) => {
  if (mode.endsWith('sw')) {
    return {
      root: at('.'),
      publicDir: false,
      define,
      build: {
        outDir: process.env.TABD_SITE!,
        emptyOutDir: false,
        minify: false,
        rolldownOptions: {
          input: mode === 'sw' ? at('../../../sw/sw.ts') : at('../site-workers/site-sw.ts'),
          output: { format: 'iife', entryFileNames: `${mode}.js`, codeSplitting: false },
        },
      },
    };
  }
  return {
    root: at('.'),
    base: './',
    publicDir: false,
    define,
    worker,
    build: {
      outDir: process.env.TABD_SITE!,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: { input: ['index', 'other', 'plain'].map((name) => at(`${name}.html`)) },
    },
  };
});
