import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeNetwork } from './network.ts';

let site: Server;
let proxy: Server;
let tunnels: string[];

beforeEach(async () => {
  tunnels = [];
  site = createServer((incoming, outgoing) => {
    if (incoming.url === '/moved') outgoing.writeHead(302, { location: '/' }).end();
    else incoming.pipe(outgoing.writeHead(200, { 'x-method': incoming.method }));
  }).listen(0, '127.0.0.1');
  proxy = createServer();
  proxy.on('connect', (incoming, socket) => {
    tunnels.push(incoming.url!);
    const target = connect(portOf(site), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    target.pipe(socket).pipe(target);
    for (const end of [socket, target]) end.on('error', () => {});
  });
  proxy.listen(0, '127.0.0.1');
  await Promise.all([once(site, 'listening'), once(proxy, 'listening')]);
});

afterEach(() => {
  for (const server of [site, proxy]) server.close().closeAllConnections();
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const proxyAddress = () => `http://127.0.0.1:${portOf(proxy)}`;

describe('nodeNetwork', () => {
  it('goes through the proxy, redirects and bodies too', async () => {
    const network = nodeNetwork({ HTTP_PROXY: proxyAddress() });
    const response = await network.fetch('http://models.test/moved');
    expect(response.status).toBe(200);
    const sent = new Request('http://models.test/', { method: 'POST', body: 'hello' });
    const answer = await network.fetch(sent);
    expect(answer.headers.get('x-method')).toBe('POST');
    expect(await answer.text()).toBe('hello');
    expect(new Set(tunnels)).toEqual(new Set(['models.test:80']));
  });

  it('asks for https hosts at HTTPS_PROXY', async () => {
    const network = nodeNetwork({ https_proxy: ` ${proxyAddress()} ` });
    await expect(network.fetch('https://models.test/')).rejects.toThrow();
    expect(tunnels).toEqual(['models.test:443']);
  });

  it.each([
    ['this computer', '127.0.0.1'],
    ['this computer', 'localhost'],
  ])('reaches %s without it (%s)', async (_what, name) => {
    const network = nodeNetwork({ HTTP_PROXY: proxyAddress() });
    const response = await network.fetch(`http://${name}:${portOf(site)}/`);
    expect(response.status).toBe(200);
    await response.text();
    expect(tunnels).toEqual([]);
  });

  it('reaches hosts of NO_PROXY without it', async () => {
    const network = nodeNetwork({ HTTP_PROXY: proxyAddress(), NO_PROXY: 'other.test, .models.invalid' });
    await expect(network.fetch('http://a.models.invalid/')).rejects.toThrow();
    expect(tunnels).toEqual([]);
  });

  it('stops when told to', async () => {
    const network = nodeNetwork({ HTTP_PROXY: proxyAddress() });
    const refused = network.fetch('http://models.test/', { signal: AbortSignal.abort(new Error('stopped')) });
    await expect(refused).rejects.toThrow('stopped');
  });
});
