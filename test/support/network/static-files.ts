/** An ordinary host of static files below a base path. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

export interface StaticSite {
  origin: string;
  /** The address of the folder's `index.html`, with the base. */
  url: string;
  /** Method and path of every request, including those for missing files. */
  requests: string[];
  close(): Promise<void>;
}

/** Serves `folder` below `base` (`/` or `/some/where/`), each file with `headers`. */
export async function serveFiles(
  folder: string,
  base = '/',
  headers: Record<string, string> = {},
): Promise<StaticSite> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    requests.push(`${request.method} ${pathname}`);
    const name = pathname.startsWith(base) ? pathname.slice(base.length) : '..';
    const path = join(
      folder,
      normalize(`/${name === '' || name.endsWith('/') ? `${name}index.html` : name}`),
    );
    const info = await stat(path).catch(() => undefined);
    if (!info?.isFile()) return response.writeHead(404).end('not on this site');
    response.writeHead(200, {
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
      'content-length': info.size,
      ...headers,
    });
    createReadStream(path).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: origin + base,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
