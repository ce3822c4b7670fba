/** A proxy for all requests of a browser: records each host, and forwards only requests to this computer. */
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface RecordingProxy {
  /** Flags that make Chromium use the proxy, also for requests to this computer. */
  flags: string[];
  /** `host:port` of every request. */
  hosts: Set<string>;
  close(): Promise<void>;
}

const here = (host: string) => /^(localhost|127\.0\.0\.1|\[::1\]):\d+$/.test(host);

export async function recordingProxy(): Promise<RecordingProxy> {
  const hosts = new Set<string>();
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/');
    const host = `${url.hostname}:${url.port || 80}`;
    hosts.add(host);
    if (!here(host)) return outgoing.writeHead(502).end('nothing outside is let through');
    const { method, headers } = incoming;
    const on = httpRequest(url, { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    on.on('error', () => outgoing.destroy());
    outgoing.on('close', () => on.destroy());
    incoming.pipe(on);
  });
  // WebSockets and https requests arrive as CONNECT.
  server.on('connect', (incoming, socket, head) => {
    const host = incoming.url ?? '';
    hosts.add(host);
    socket.on('error', () => {});
    if (!here(host)) return socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const { hostname, port } = new URL(`http://${host}`);
    const on = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      if (head.length > 0) on.write(head);
      on.pipe(socket).pipe(on);
    });
    on.on('error', () => socket.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    flags: [`--proxy-server=http://127.0.0.1:${port}`, '--proxy-bypass-list=<-loopback>'],
    hosts,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
