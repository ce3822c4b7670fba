// A static site with a small backend, as anyone may have it. Of tabd it only hands out the package's files.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const tabd = dirname(fileURLToPath(import.meta.resolve('tabd')));
/** tabd needs WebAssembly, workers from Blobs, and the hosts of models in `connect-src`. */
const policy =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self' http: https:; " +
  "style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; object-src 'none'; base-uri 'none'";
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.wasm': 'application/wasm' };

const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://site');
  // The site's own backend: one of its routes lies below /api, another has the name of one of tabd's APIs.
  if (pathname === '/api/orders' || pathname === '/prompt') {
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ from: 'the site', method: request.method, path: pathname }));
  }
  const folder = pathname.startsWith('/tabd/') ? tabd : join(here, 'public');
  const name = pathname.replace(/^\/tabd\//, '/').replace(/\/$/, '/index.html');
  const path = join(folder, normalize(name));
  const info = await stat(path).catch(() => undefined);
  if (!info?.isFile()) return response.writeHead(404).end('not here');
  response.setHeader('content-security-policy', policy);
  response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
  response.setHeader('content-length', info.size);
  createReadStream(path).pipe(response);
});

server.listen(Number(process.env.PORT ?? 8080), 'localhost', () =>
  console.log(`http://localhost:${server.address().port}/`),
);
