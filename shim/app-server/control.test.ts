import { describe, expect, it, test } from 'vitest';
import type { CallContext } from '#core/http/routing/server.ts';
import { appControlRoutes } from './control.ts';

function setUp() {
  const requests: [who: string, path: string, context: CallContext][] = [];
  const answers = (who: string) => ({
    fetch: async (request: Request, context: CallContext) => {
      requests.push([who, new URL(request.url).pathname, context]);
      return new Response(who);
    },
  });
  const routes = appControlRoutes({
    token: 'secret',
    server: answers('here'),
    webhooks: () => answers('tab'),
    pageKey: async () => 'a key',
    async *importFile() {},
  });
  const ask = (path: string, token = 'secret') => {
    const headers = { authorization: `Bearer ${token}` };
    return routes(new Request(`http://localhost${path}`, { headers }), path, true);
  };
  const askForKey = (here: boolean, site: string) => {
    const init = { method: 'POST', headers: { 'sec-fetch-site': site } };
    return routes(new Request('http://localhost/tabd/webhooks-key', init), '/tabd/webhooks-key', here);
  };
  return { requests, ask, askForKey };
}

describe('routes for the command line', () => {
  it('forward workflow requests to the server of their port, as the owner, and model requests to this server', async () => {
    const { requests, ask } = setUp();
    await ask('/tabd/node/api/v1/workflows');
    await ask('/tabd/node/api/tags');
    expect(requests).toMatchObject([
      ['tab', '/api/v1/workflows', { listener: 'webhooks', caller: 'operator' }],
      ['here', '/api/tags', { listener: 'local-models' }],
    ]);
    expect(requests[1]![2].caller).toBeUndefined();
  });

  it('require the token', async () => {
    const { requests, ask } = setUp();
    expect((await ask('/tabd/node/api/v1/workflows', 'other'))?.status).toBe(401);
    expect(requests).toEqual([]);
    expect(ask('/elsewhere')).toBeUndefined();
  });
});

test('only the page on this computer gets a key, whatever headers other programs send', async () => {
  const { askForKey } = setUp();
  const got = async (here: boolean, site: string) => (await askForKey(here, site))?.status;
  expect(await got(true, 'same-origin')).toBe(200);
  expect(await got(false, 'same-origin')).toBe(404);
  expect(await got(true, 'cross-site')).toBe(403);
});
