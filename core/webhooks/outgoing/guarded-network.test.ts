import { describe, expect, it } from 'vitest';
import { createTestHost } from '#test/support/host/test-host.ts';
import { guardNetwork } from './guarded-network.ts';

const RULES = { allowPrivate: false, isOwnPort: (port: number) => [11434, 8188, 5678].includes(port) };

function open(
  fetch: (request: Request) => Response = () => new Response('ok'),
  platform: 'tab' | 'node' = 'node',
) {
  const host = createTestHost({ fetch, platform });
  return { host, network: guardNetwork(host, RULES) };
}

describe('the guarded network', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://0.0.0.0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://[64:ff9b::a00:1]/',
    'http://metadata.google.internal/',
    'http://printer.local/',
    'http://127.0.0.1:22/',
    'http://192.168.0.5:11434/',
  ])('refuses %s', async (url) => {
    const { host, network } = open();
    await expect(network.fetch(url)).rejects.toMatchObject({
      message: expect.stringContaining('are not allowed: it is an address of this computer or its network'),
      json: { code: 'ERR_ADDRESS_NOT_ALLOWED' },
      description: expect.stringContaining('TABD_ALLOW_PRIVATE_ADDRESSES'),
    });
    expect(host.requested).toEqual([]);
  });

  it.each([
    'http://localhost:11434/api/tags',
    'http://127.0.0.1:5678/webhook/a',
    'http://[::1]:8188/',
    'https://example.org/',
    'http://93.184.216.34/',
    'http://[2606:4700::1]/',
  ])('allows %s', async (url) => {
    expect(await (await open().network.fetch(url)).text()).toBe('ok');
  });

  it('allows private addresses if the setting says so', async () => {
    const network = guardNetwork(createTestHost({ fetch: () => new Response('ok') }), {
      ...RULES,
      allowPrivate: true,
    });
    expect((await network.fetch('http://10.0.0.1/')).status).toBe(200);
  });

  it('refuses schemes other than http and https', async () => {
    for (const url of ['file:///etc/passwd', 'data:text/plain,x', 'blob:x']) {
      await expect(open().network.fetch(url)).rejects.toThrow('addresses cannot be made');
    }
  });
});

describe('in a tab', () => {
  const failed = () => {
    throw new TypeError('Failed to fetch');
  };

  it('explains CORS, and what to do, for a blocked request', async () => {
    const { host, network } = open((request) => {
      if (request.method !== 'HEAD') failed();
      return new Response();
    }, 'tab');
    await expect(network.fetch('https://api.test/x', { method: 'POST', body: '1' })).rejects.toMatchObject({
      message: 'api.test answers, but the browser does not let this page read the answer (CORS)',
      description: expect.stringMatching(/Access-Control-Allow-Origin.*tabd shim.*server of your own/s),
      json: { code: 'ERR_CORS' },
    });
    expect(host.requested.map(({ method }) => method)).toEqual(['POST', 'HEAD']);
  });

  it('reports a server that cannot be reached', async () => {
    await expect(open(failed, 'tab').network.fetch('https://api.test/x')).rejects.toMatchObject({
      message: 'api.test could not be reached from this page',
      json: { code: 'ERR_NETWORK' },
    });
  });

  it('rejects with the reason of an aborted request', async () => {
    const { network } = open(failed, 'tab');
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(network.fetch('https://api.test/x', { signal })).rejects.toThrow('stop');
  });
});
