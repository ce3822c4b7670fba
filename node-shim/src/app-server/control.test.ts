import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../core/server-types.ts';
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
    async *importFile() {},
  });
  const ask = (path: string, token = 'secret') => {
    const headers = { authorization: `Bearer ${token}` };
    return routes(new Request(`http://localhost${path}`, { headers }), path);
  };
  return { asked, ask };
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
