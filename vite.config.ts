/**
 * All builds of tabd, by mode. `scripts/build.mjs` runs them in order; `npx vite` serves the page for
 * development.
 *
 * - `app`: the page with its workers.
 * - `app-diagrams`: the frame of the page that draws diagrams.
 * - `app-sw`: its service worker, which contains the list of the files of `app`.
 * - `library`: the modules that a site imports.
 * - `library-sw` and `library-handle`: single files for service workers.
 * - `shim`: the Node program.
 */
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type UserConfig } from 'vite';
import { toPrebuiltModels } from './workers/engines/web-llm/describe-list.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const build = Number(process.env.TABD_BUILD ?? Date.now());
const define = { __TABD_BUILD__: String(build) };
const target = 'es2022';

/** Reads web-llm's list of models from the package at build time. The package itself has 7 MB. */
const prebuiltList: Plugin = {
  name: 'tabd-prebuilt-list',
  enforce: 'pre',
  async load(id) {
    if (!id.endsWith('web-llm/prebuilt-list.ts')) return null;
    const { prebuiltAppConfig } = await import('@mlc-ai/web-llm');
    const list = JSON.stringify(toPrebuiltModels(prebuiltAppConfig.model_list));
    return `const list = ${JSON.stringify(list)};\nexport const prebuiltList = async () => JSON.parse(list);`;
  },
};

/** Removes indentation and comments from the page's style sheets, which minifiers of JavaScript leave as they are. */
const shortStyles: Plugin = {
  name: 'tabd-short-styles',
  enforce: 'pre',
  apply: 'build',
  transform(code, id) {
    if (!id.includes('/web/app/') || !code.includes('css`')) return null;
    const short = (sheet: string) =>
      sheet
        .replace(/\/\*.*?\*\//gs, '')
        .replace(/([{};,])\s*\n\s*/g, '$1')
        .replace(/\s*\n\s*/g, ' ');
    return { code: code.replace(/css`[^`]*`/g, short), map: null };
  },
};

/** Libraries for audio and video. Each gets its own file, which is loaded when it is needed. */
const codeSplitting = {
  groups: ['mediabunny', 'libopus-wasm'].map((name) => ({ name, test: new RegExp(`node_modules/${name}/`) })),
};

/**
 * The code that all views share is one file: many small ones would be many requests. With it are modules without imports that
 * the first load needs.
 */
const pageSplitting = {
  groups: [
    {
      name: 'shared',
      test: new RegExp(
        [
          // The tooltips are with the other overlays, which load later.
          'web/app/ui/(?!tooltip/)',
          'node_modules/(lit|lit-html|lit-element|@lit)/(?!.*decorators)',
          'web/app/(api-client|chat/conversation|images/first-model|models/capabilities|settings/stored-settings)\\.ts',
          'web/app/strings/(common|app|chat)\\.ts',
          'web/app/(.*/)?(fitted-width|undo-history)\\.ts',
          'core/(base|http)/',
        ].join('|'),
      ),
    },
    {
      name: 'chat-shared',
      test: /web\/app\/(strings\/chat-parts|chat\/presets\/presets|chat\/documents\/document-size)\.ts/,
    },
  ],
};

/** Names with short hashes, long enough for many files of one build. */
const shortNames = {
  entryFileNames: 'assets/[name]-[hash:8].js',
  chunkFileNames: 'assets/[name]-[hash:8].js',
};

/** Workers are separate modules. Their assets are next to them, so that any base path works. */
const worker: UserConfig['worker'] = {
  format: 'es',
  plugins: () => [prebuiltList],
  rolldownOptions: {
    output: {
      codeSplitting,
      ...shortNames,
      // Some servers send a wrong type for .mjs, and browsers refuse such modules.
      assetFileNames: ({ names }) =>
        names[0]?.endsWith('.mjs') ? 'assets/[name]-[hash:8].js' : 'assets/[name]-[hash:8][extname]',
    },
  },
};

/** The library's addresses of tabd's files are a separate file, which `tabd/vite` and bundlers can replace. */
const packageFiles: Plugin = {
  name: 'tabd-package-files',
  enforce: 'pre',
  resolveId: (id) => (id.endsWith('/default-files.ts') ? at('web/client/package-files.ts') : null),
};

/** A service worker as one self-contained classic script. */
function serviceWorker(
  entry: string,
  folder: string,
  file: string,
  more: { name?: string; define?: Record<string, string>; format?: 'iife' | 'es' } = {},
): UserConfig {
  return {
    root: at('sw'),
    publicDir: false,
    define: { ...define, ...more.define },
    build: {
      target,
      outDir: at(folder),
      emptyOutDir: false,
      rolldownOptions: {
        input: at(entry),
        preserveEntrySignatures: more.format === 'es' || more.name ? 'strict' : false,
        output: {
          format: more.format ?? 'iife',
          entryFileNames: file,
          codeSplitting: false,
          ...(more.name && { name: more.name }),
        },
      },
    },
  };
}

const shell = () => process.env.TABD_SHELL ?? 'undefined';
const shimPackage = () => JSON.parse(readFileSync(at('node-shim/package.json'), 'utf8'));

const modes: Record<string, () => UserConfig> = {
  app: () => ({
    root: at('web'),
    base: './',
    publicDir: false,
    define,
    worker,
    plugins: [shortStyles],
    build: {
      target,
      outDir: at('dist/app'),
      emptyOutDir: true,
      assetsInlineLimit: 0,
      rolldownOptions: { output: { codeSplitting: pageSplitting, ...shortNames } },
    },
  }),
  // The library makes sixty files of a drawing: few diagrams would need most of them, so it is one.
  'app-diagrams': () => ({
    root: at('web'),
    base: './',
    publicDir: false,
    build: {
      target,
      outDir: at('dist/app'),
      emptyOutDir: false,
      modulePreload: false,
      rolldownOptions: { input: at('web/diagram.html'), output: { codeSplitting: false, ...shortNames } },
    },
  }),
  'app-sw': () => serviceWorker('sw/sw.ts', 'dist/app', 'sw.js', { define: { __TABD_SHELL__: shell() } }),
  library: () => ({
    root: at('web'),
    base: './',
    publicDir: false,
    define,
    worker,
    plugins: [packageFiles],
    build: {
      target,
      outDir: at('dist'),
      emptyOutDir: false,
      assetsInlineLimit: 0,
      modulePreload: false,
      rolldownOptions: {
        input: {
          index: at('web/client/index.ts'),
          // Separate files, which a site's bundle leaves out if it does not use them.
          start: at('web/client/start.ts'),
          errors: at('web/client/types.ts'),
          websocket: at('web/client/websocket.ts'),
          share: at('web/client/remote/share.ts'),
          remote: at('web/client/remote/remote.ts'),
          'tabd-files': at('web/client/package-files.ts'),
        },
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: '[name].js', chunkFileNames: 'assets/[name]-[hash].js' },
      },
    },
  }),
  // One file, and next to it the lazily loaded ones. They work from any folder of a site.
  'library-worker': () => ({
    root: at('workers'),
    base: './',
    publicDir: false,
    define,
    worker,
    plugins: [prebuiltList],
    build: {
      target,
      outDir: at('dist'),
      emptyOutDir: false,
      assetsInlineLimit: 0,
      modulePreload: false,
      rolldownOptions: {
        input: at('workers/server.worker.ts'),
        output: {
          codeSplitting,
          entryFileNames: 'server.worker.js',
          chunkFileNames: 'assets/[name]-[hash].js',
        },
      },
    },
  }),
  'library-sw': () => serviceWorker('sw/sw.ts', 'dist', 'sw.js'),
  'library-handle': () => serviceWorker('sw/handle.ts', 'dist', 'handle.js', { format: 'es' }),
  'library-handle-global': () => serviceWorker('sw/handle.ts', 'dist', 'handle.global.js', { name: 'tabd' }),
  'library-tools': () => ({
    root: at('tools'),
    publicDir: false,
    ssr: { external: true },
    build: {
      target: 'node20',
      ssr: true,
      outDir: at('dist/tools'),
      emptyOutDir: true,
      minify: false,
      rolldownOptions: {
        input: { cli: at('tools/cli.ts'), vite: at('tools/vite.ts') },
        external: (id: string) => isBuiltin(id),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  }),
  shim: () => ({
    root: at('shim'),
    publicDir: false,
    define,
    ssr: { noExternal: true },
    build: {
      target: 'node20',
      ssr: true,
      outDir: at('node-shim/dist'),
      emptyOutDir: true,
      minify: false,
      rolldownOptions: {
        input: {
          cli: at('shim/cli.ts'),
          'engine-process': at('shim/engines/llama/engine-process.ts'),
          'images-process': at('shim/engines/llama/images/images-process.ts'),
          'python-thread': at('shim/sandbox/python-thread.ts'),
          'sandbox-thread': at('shim/sandbox/sandbox-thread.ts'),
          'tensor-process': at('shim/engines/onnx/tensor-process.ts'),
        },
        external: (id: string) =>
          isBuiltin(id) ||
          Object.keys({ ...shimPackage().dependencies, ...shimPackage().optionalDependencies }).some(
            (name) => id === name || id.startsWith(`${name}/`),
          ),
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  }),
};

export default defineConfig(({ mode }) => (modes[mode] ?? modes.app!)());
