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
  it('uses the proxy, also for redirects and bodies', async () => {
    const network = nodeNetwork({ HTTP_PROXY: proxyAddress() });
    const response = await network.fetch('http://models.test/moved');
    expect(response.status).toBe(200);
    const sent = new Request('http://models.test/', { method: 'POST', body: 'hello' });
    const answer = await network.fetch(sent);
    expect(answer.headers.get('x-method')).toBe('POST');
    expect(await answer.text()).toBe('hello');
    expect(new Set(tunnels)).toEqual(new Set(['models.test:80']));
  });

  it('uses HTTPS_PROXY for https hosts', async () => {
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

  it('aborts with its signal', async () => {
    const network = nodeNetwork({ HTTP_PROXY: proxyAddress() });
    const refused = network.fetch('http://models.test/', { signal: AbortSignal.abort(new Error('stopped')) });
    await expect(refused).rejects.toThrow('stopped');
  });
});

describe('under rules', () => {
  const only = (...hosts: string[]) => ({ allows: (address: string) => hosts.includes(address) });

  it('connects only to allowed addresses, under any name', async () => {
    const network = nodeNetwork({});
    const port = portOf(site);
    const inside = network.withRules!(only('127.0.0.1'));
    expect((await inside.fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
    expect((await inside.fetch(`http://localhost:${port}/`)).status).toBe(200);
    const outside = network.withRules!(only('93.184.216.34'));
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433']) {
      await expect(outside.fetch(`http://${host}:${port}/`)).rejects.toMatchObject({
        cause: { code: 'ERR_ADDRESS_NOT_ALLOWED' },
      });
    }
  });

  it('checks every connection, also after a redirect', async () => {
    const checked: [string, number][] = [];
    const allows = (address: string, port: number) => {
      checked.push([address, port]);
      return checked.length === 1;
    };
    const other = createServer((_, answer) => {
      answer.writeHead(302, { location: `http://127.0.0.1:${portOf(site)}/` }).end();
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const network = nodeNetwork({}).withRules!({ allows });
    await expect(network.fetch(`http://127.0.0.1:${portOf(other)}/`)).rejects.toThrow();
    expect(checked).toEqual([
      ['127.0.0.1', portOf(other)],
      ['127.0.0.1', portOf(site)],
    ]);
    other.close().closeAllConnections();
  });

  it('shows redirects, sends forms, and goes through another proxy', async () => {
    const network = nodeNetwork({});
    expect(network.readsRedirects).toBe(true);
    const ruled = network.withRules!({ allows: () => true });
    const address = `http://127.0.0.1:${portOf(site)}`;
    const moved = await ruled.fetch(`${address}/moved`, { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/']);
    const form = new FormData();
    form.append('a', '1');
    form.append('f', new Blob(['hello']), 'h.txt');
    const echoed = await (await ruled.fetch(address, { method: 'POST', body: form as never })).text();
    expect(echoed).toContain('name="f"; filename="h.txt"');
    const proxied = network.withRules!({ proxy: proxyAddress() });
    expect((await proxied.fetch('http://models.test/')).status).toBe(200);
    expect(tunnels).toEqual(['models.test:80']);
  });

  it('keeps one set of connections for the same rules', () => {
    const allows = () => true;
    const network = nodeNetwork({}).withRules!({ allows });
    expect(network.withRules!({ acceptsAnyCertificate: true })).toBe(
      network.withRules!({ acceptsAnyCertificate: true }),
    );
    expect(network.withRules!({ acceptsAnyCertificate: true })).not.toBe(network);
    expect(network.withRules!({ allows: () => false })).not.toBe(network);
  });
});
