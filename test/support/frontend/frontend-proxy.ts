/**
 * The official editor before a server of image workflows, as its own server delivers it: files of the packages first,
 * everything else from the port.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { extname, join, normalize } from 'node:path';
import type { Duplex } from 'node:stream';

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** Images of templates lie in further packages of more than 100 MB. This one stands for them. */
const IMAGE = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';
const isImage = (path: string) => /\.(webp|png|jpe?g|svg)$/.test(path);

export interface FrontendProxy {
  origin: string;
  /** Answers of the port with a status of 400 or more: method, path and status. */
  refused: string[];
  close(): Promise<void>;
}

/**
 * Opens a free port of this computer.
 *
 * @param static Folder of the editor's page.
 * @param templates Folder of the files below `/templates/`.
 * @param port Port of the server that answers everything else.
 */
export async function frontendProxy(folders: {
  static: string;
  templates: string;
  port: number;
}): Promise<FrontendProxy> {
  const refused: string[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer(async (incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://page');
    const path = decodeURIComponent(pathname);
    if (path.startsWith('/templates/'))
      return sendTemplate(join(folders.templates, normalize(path).slice('/templates/'.length)), outgoing);
    if (await sendFile(join(folders.static, normalize(path === '/' ? '/index.html' : path)), outgoing))
      return;
    forward(incoming, outgoing, folders.port, (status) =>
      refused.push(`${incoming.method} ${incoming.url} ${status}`),
    );
  });
  server.on('upgrade', (incoming, socket, head) => forwardSocket(incoming, socket, head, folders.port));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function sendTemplate(path: string, outgoing: ServerResponse): Promise<void> {
  if (await sendFile(path, outgoing)) return;
  if (isImage(path)) outgoing.writeHead(200, { 'content-type': TYPES['.svg'] }).end(IMAGE);
  else outgoing.writeHead(404).end();
}

/** False if there is no such file. */
async function sendFile(path: string, outgoing: ServerResponse): Promise<boolean> {
  const info = await stat(path).catch(() => undefined);
  if (!info?.isFile()) return false;
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  outgoing.writeHead(200, { 'content-type': type, 'content-length': info.size });
  createReadStream(path).pipe(outgoing);
  return true;
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  port: number,
  onRefused: (status: number) => void,
): void {
  const { method, headers, url: path } = incoming;
  const on = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
    const status = answer.statusCode ?? 502;
    if (status >= 400) onRefused(status);
    outgoing.writeHead(status, answer.headers);
    answer.pipe(outgoing);
  });
  on.on('error', () => outgoing.destroy());
  outgoing.on('close', () => on.destroy());
  incoming.pipe(on);
}

/** Repeats the upgrade at the port, and then passes all bytes on. */
function forwardSocket(incoming: IncomingMessage, socket: Duplex, head: Buffer, port: number): void {
  const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
  for (let i = 0; i < incoming.rawHeaders.length; i += 2)
    lines.push(`${incoming.rawHeaders[i]}: ${incoming.rawHeaders[i + 1]}`);
  const on: Socket = connect(port, '127.0.0.1', () => {
    on.write(`${lines.join('\r\n')}\r\n\r\n`);
    on.write(head);
    on.pipe(socket).pipe(on);
  });
  on.on('error', () => socket.destroy());
  socket.on('error', () => on.destroy());
  socket.on('close', () => on.destroy());
}
