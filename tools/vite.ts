import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { copyFiles, distFolder, FOLDER, SERVICE_WORKER, servedFiles } from './files.ts';

/**
 * The options of the Vite plugin.
 *
 * @example
 * ```ts
 * import type { TabdPluginOptions } from 'tabd/vite';
 *
 * export const options: TabdPluginOptions = { isolate: true };
 * ```
 */
export interface TabdPluginOptions {
  /** False if the site has a service worker of its own, which calls `handle`. Default true. */
  serviceWorker?: boolean;
  /**
   * Sends the header that isolates documents, in `vite` and `vite preview`, so that models on the CPU can use
   * threads. The host of the built site must send it too. Default false.
   */
  isolate?: boolean;
}

const TYPES: Record<string, string> = { js: 'text/javascript', wasm: 'application/wasm' };

/**
 * Returns the Vite plugin. It serves tabd's files in `vite`, copies them into the build, and passes their addresses to
 * `start`.
 *
 * @example
 * ```ts
 * import tabd from 'tabd/vite';
 * import { defineConfig } from 'vite';
 *
 * export default defineConfig({ plugins: [tabd({ isolate: true })] });
 * console.log(tabd().name); // tabd
 * ```
 */
export default function tabd({ serviceWorker = true, isolate = false }: TabdPluginOptions = {}): Plugin {
  let base = '/';
  let isBuild = false;
  const headers = isolate ? { 'document-isolation-policy': 'isolate-and-credentialless' } : undefined;
  return {
    name: 'tabd',
    config: () => ({
      // Without this, Vite's dev server would bundle the package, and `load` below would not be called for
      // its files.
      optimizeDeps: { exclude: ['tabd'] },
      ...(headers && { server: { headers }, preview: { headers } }),
    }),
    configResolved(config) {
      base = config.base;
      isBuild = config.command === 'build' && !config.build.ssr;
    },
    load(id) {
      if (!/[\\/]tabd-files\.js(\?|$)/.test(id)) return null;
      return `const base = new URL(${JSON.stringify(base)}, document.baseURI);
export const defaultServiceWorker = new URL('${SERVICE_WORKER}', base).href;
export const defaultWorker = () => new URL('${FOLDER}/server.worker.js', base);
`;
    },
    async configureServer(server) {
      const files = new Set(await servedFiles());
      const path = base.startsWith('/') ? base : '/';
      server.middlewares.use((request, response, next) => {
        const pathname = (request.url ?? '').replace(/[?#].*$/, '');
        const name = pathname.startsWith(path) ? pathname.slice(path.length) : '';
        const file = name.startsWith(`${FOLDER}/`) ? name.slice(FOLDER.length + 1) : undefined;
        if (serviceWorker && name === SERVICE_WORKER) send(SERVICE_WORKER, request, response, headers);
        else if (file !== undefined && files.has(file)) send(file, request, response, headers);
        else next();
      });
    },
    async writeBundle({ dir }) {
      if (isBuild && dir) await copyFiles(dir, { serviceWorker });
    },
  };
}

async function send(
  file: string,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, string> = {},
): Promise<void> {
  const path = join(distFolder(), file);
  const { size } = await stat(path);
  const type = TYPES[file.slice(file.lastIndexOf('.') + 1)]!;
  response.writeHead(200, {
    'content-type': type,
    'content-length': size,
    'cache-control': 'no-cache',
    ...headers,
  });
  if (request.method === 'HEAD') return void response.end();
  createReadStream(path).pipe(response);
}
