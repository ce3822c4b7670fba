/** Serves the fixture page that `site/build-site.mjs` has built, with or without the headers that allow threads. */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const output = fileURLToPath(new URL('../../../.cache/browser-fixture', import.meta.url));

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

export interface Site {
  origin: string;
  close(): Promise<void>;
}

/**
 * Further `files` have the path at which they are served as their key.
 *
 * `oldBrowser`: hides stack switching in WebAssembly from the engine's worker, as in browsers that lack it.
 */
export async function fixtureSite(options: {
  isolated: boolean;
  files?: Record<string, string>;
  oldBrowser?: boolean;
  /** The folder of another page. */
  root?: string;
}): Promise<Site> {
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
    const file = options.files?.[path] ?? join(options.root ?? output, path === '/' ? 'index.html' : path);
    let size: number;
    try {
      const stats = statSync(file);
      if (!stats.isFile()) throw new Error('not a file');
      size = stats.size;
    } catch {
      response.writeHead(404).end();
      return;
    }
    const before =
      options.oldBrowser && /engine\.worker/.test(file) ? 'delete WebAssembly.Suspending;\n' : '';
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'content-length': before.length + size,
      ...(options.isolated
        ? { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }
        : {}),
    });
    response.write(before);
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
