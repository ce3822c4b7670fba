import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.css': 'text/css',
};

/** A static host with a small backend of its own, as a site that embeds tabd has. */
export class SiteServer {
  /** Method and path of every request that arrived over the network. */
  readonly requests: string[] = [];
  /** The build to serve. */
  version: 'old' | 'new' = 'old';
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://site');
      this.requests.push(`${request.method} ${pathname}`);
      if (pathname.startsWith('/backend/') || pathname === '/api/own') {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ backend: pathname, method: request.method }));
        return;
      }
      try {
        const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
        const folder = fileURLToPath(
          new URL(`../../../.cache/browser-site/${this.version}`, import.meta.url),
        );
        const file = await readFile(join(folder, normalize(name)));
        response.setHeader('content-type', TYPES[extname(name)] ?? 'application/octet-stream');
        response.setHeader('cache-control', 'no-cache');
        response.end(file);
      } catch {
        response.writeHead(404).end('not on this site');
      }
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Requests that reached the network below an address that tabd answers. */
  get leaked(): string[] {
    return this.requests.filter((line) => /^\S+ \/(api|v1|webhook|view|ws|prompt)/.test(line));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
