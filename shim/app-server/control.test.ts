import { describe, expect, it, test } from 'vitest';
import type { CallContext } from '#core/http/routing/server.ts';
import { controlRoutes } from './control.ts';

function setUp() {
  const asked: [who: string, path: string, context: CallContext][] = [];
  const answers = (who: string) => ({
    fetch: async (request: Request, context: CallContext) => {
      asked.push([who, new URL(request.url).pathname, context]);
      return new Response(who);
    },
  });
  const routes = controlRoutes({
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
  return { asked, ask, askForKey };
}

describe('the way in for the command line', () => {
  it('leads workflows to whoever answers their port, as the owner, and models to this server', async () => {
    const { asked, ask } = setUp();
    await ask('/tabd/node/api/v1/workflows');
    await ask('/tabd/node/api/tags');
    expect(asked).toMatchObject([
      ['tab', '/api/v1/workflows', { listener: 'webhooks', caller: 'operator' }],
      ['here', '/api/tags', { listener: 'local-models' }],
    ]);
    expect(asked[1]![2].caller).toBeUndefined();
  });

  it('asks for the token', async () => {
    const { asked, ask } = setUp();
    expect((await ask('/tabd/node/api/v1/workflows', 'other'))?.status).toBe(401);
    expect(asked).toEqual([]);
    expect(ask('/elsewhere')).toBeUndefined();
  });
});

test('a key is given to the page on this computer, whatever programs elsewhere say of themselves', async () => {
  const { askForKey } = setUp();
  const got = async (here: boolean, site: string) => (await askForKey(here, site))?.status;
  expect(await got(true, 'same-origin')).toBe(200);
  expect(await got(false, 'same-origin')).toBe(404);
  expect(await got(true, 'cross-site')).toBe(403);
});
