/** OAuth 2.0 from the credential to the request, over an authorization server that checks what it is sent. */
import { createHash, createVerify, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { runWebhookNode } from '#test/support/webhooks/run-node.ts';
import { openWebhookServer, type TestWebhooks } from '#test/support/webhooks/webhook-server.ts';

const CALLBACK = '/rest/oauth2-credential/callback';

/** Accepts the codes and refresh tokens of `issued` once, and the newest access token only. */
class AuthorizationServer {
  grants: JsonObject[] = [];
  expiresIn: number | undefined = 3600;
  accepted = new Set<string>();
  #issued = 0;
  #challenge = '';
  #refresh = '';

  /** Logs in as a browser would, and follows the redirect. Returns the query of the callback. */
  login(address: string): URLSearchParams {
    const { searchParams } = new URL(address);
    this.#challenge = searchParams.get('code_challenge') ?? '';
    return new URLSearchParams({ code: 'c0de', state: searchParams.get('state')! });
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/token') return this.#token(request);
    const token = request.headers.get('authorization')?.replace('Bearer ', '');
    return token !== undefined && this.accepted.has(token)
      ? Response.json({ ok: true, echo: await request.text() })
      : Response.json({ error: 'expired' }, { status: 401 });
  }

  async #token(request: Request): Promise<Response> {
    const form = Object.fromEntries(new URLSearchParams(await request.text()));
    this.grants.push({ ...form, authorization: request.headers.get('authorization') });
    const refused = (error: string) => Response.json({ error, error_description: 'no' }, { status: 400 });
    if (form.grant_type === 'authorization_code') {
      const hash = createHash('sha256')
        .update(form.code_verifier ?? '')
        .digest('base64url');
      if (form.code !== 'c0de' || (this.#challenge !== '' && hash !== this.#challenge))
        return refused('bad_code');
    } else if (form.grant_type === 'refresh_token' && form.refresh_token !== this.#refresh) {
      return refused('invalid_grant');
    }
    this.#issued += 1;
    const token = `t${this.#issued}`;
    this.#refresh = `r${this.#issued}`;
    this.accepted = new Set([token]);
    return Response.json({
      access_token: token,
      ...(form.grant_type !== 'client_credentials' && { refresh_token: this.#refresh }),
      ...(this.expiresIn && { expires_in: this.expiresIn }),
    });
  }
}

let service: AuthorizationServer;
let server: TestWebhooks;
beforeAll(async () => {
  server = await openWebhookServer({ fetch: (request: Request) => service.fetch(request) });
});
afterAll(() => server.close());
beforeEach(() => {
  service = new AuthorizationServer();
});

const DATA = {
  authUrl: 'https://auth.test/login?a=1',
  accessTokenUrl: 'https://auth.test/token',
  clientId: 'cl',
  clientSecret: 's3',
  scope: 'read write',
};

let count = 0;
async function credential(data: JsonObject = {}, type = 'oAuth2Api') {
  count += 1;
  return server.credentials.create(`Account ${count}`, type, { ...DATA, ...data });
}

const signal = new AbortController().signal;
const callback = (query: URLSearchParams | string) => server.exchange('GET', `${CALLBACK}?${query}`);

async function connected(data: JsonObject = {}) {
  const created = await credential(data);
  const address = await server.connections.begin(created.id, signal);
  const [status, page] = await callback(service.login(address!));
  expect([status, page]).toEqual([200, expect.stringContaining(`${created.name}” is connected`)]);
  return created;
}

function request({ id, name }: { id: string; name: string }, type = 'oAuth2Api') {
  const parameters = { url: 'https://api.test/data', method: 'POST', sendBody: true, specifyBody: 'json' };
  const authentication =
    type === 'oAuth2Api'
      ? { authentication: 'genericCredentialType', genericAuthType: type }
      : { authentication: 'predefinedCredentialType', nodeCredentialType: type };
  return runWebhookNode(server.engine, {
    type: 'httpRequest',
    typeVersion: 4.2,
    parameters: { ...parameters, jsonBody: '{"a":1}', ...authentication },
    credentials: { [type]: { id, name } },
  });
}
const ANSWER = [[{ ok: true, echo: '{"a":1}' }]];

describe('a login', () => {
  it('sends the browser away with what the service needs, and back', async () => {
    const created = await credential({ authQueryParameters: 'access_type=offline' });
    const url = new URL((await server.connections.begin(created.id, signal))!);
    expect(url.origin + url.pathname).toBe('https://auth.test/login');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      a: '1',
      access_type: 'offline',
      response_type: 'code',
      client_id: 'cl',
      redirect_uri: `http://localhost:5678${CALLBACK}`,
      scope: 'read write',
      state: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect((await server.credentials.byId(created.id))?.connected).toBeUndefined();
    await callback(service.login(url.href));
    expect(service.grants).toEqual([
      {
        grant_type: 'authorization_code',
        code: 'c0de',
        redirect_uri: `http://localhost:5678${CALLBACK}`,
        authorization: `Basic ${btoa('cl:s3')}`,
      },
    ]);
    expect((await server.credentials.byId(created.id))?.connected).toBe(true);
    expect((await request(created)).outputs).toEqual(ANSWER);
  });

  it('proves with PKCE that it began here, and sends the client in the body where it should', async () => {
    await connected({ grantType: 'pkce', authentication: 'body' });
    expect(service.grants).toMatchObject([
      { code_verifier: expect.stringMatching(/^[\w-]{64}$/), client_id: 'cl', client_secret: 's3' },
    ]);
    expect(service.grants[0]!.authorization).toBeNull();
  });

  it.each([
    ['no state', () => 'code=c0de'],
    ['a state of nobody', () => 'code=c0de&state=x'],
  ])('with %s is refused', async (_name, query) => {
    const [status, page] = await callback(query());
    expect([status, page]).toEqual([400, expect.stringContaining('The OAuth2 callback state is invalid!')]);
    expect(service.grants).toEqual([]);
  });

  it('ends once, also if it failed', async () => {
    const created = await credential();
    const query = service.login((await server.connections.begin(created.id, signal))!);
    query.set('code', 'wrong');
    expect(await callback(query)).toEqual([400, expect.stringContaining('bad_code: no')]);
    query.set('code', 'c0de');
    expect(await callback(query)).toEqual([400, expect.stringContaining('state is invalid')]);
  });

  it('that the person declined shows the reason of the service, as text', async () => {
    const created = await credential();
    const query = service.login((await server.connections.begin(created.id, signal))!);
    query.delete('code');
    query.set('error', 'access_denied');
    query.set('error_description', '<script>x</script>');
    const [status, page] = await callback(query);
    expect(status).toBe(400);
    expect(page).toContain('&#60;script&#62;');
    expect(page).not.toContain('<script>x');
  });

  it.each([
    [{ clientId: '' }, 'no Client ID'],
    [{ authUrl: 'javascript:alert(1)' }, 'not an address'],
  ])('of a credential with %j cannot begin', async (data, message) => {
    const created = await credential(data);
    await expect(server.connections.begin(created.id, signal)).rejects.toThrow(message);
  });
});

describe('an access token', () => {
  it('is renewed once when the service refuses it, also for several requests at a time', async () => {
    const created = await connected();
    service.accepted.clear();
    const results = await Promise.all([request(created), request(created), request(created)]);
    for (const { outputs } of results) expect(outputs).toEqual(ANSWER);
    expect(service.grants.map(({ grant_type }) => grant_type)).toEqual([
      'authorization_code',
      'refresh_token',
    ]);
  });

  it('is renewed before it expires', async () => {
    service.expiresIn = 5;
    const created = await connected();
    service.expiresIn = 3600;
    expect((await request(created)).outputs).toEqual(ANSWER);
    expect(service.grants.at(-1)).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'r1' });
    await request(created);
    expect(service.grants).toHaveLength(2);
  });

  it('that cannot be renewed fails with what to do', async () => {
    const created = await connected();
    await server.credentials.saveTokens('oAuth2Api', created, { access_token: 'old', refresh_token: 'gone' });
    expect((await request(created)).error).toMatchObject({
      message: `The access token of the credential "${created.name}" could not be renewed`,
      description: 'invalid_grant: no. Open Credentials and choose Connect again.',
    });
  });

  it('is missing before the login', async () => {
    expect((await request(await credential())).error?.message).toBe('Unable to sign without access token');
  });

  it('of the client itself needs no login', async () => {
    const created = await credential({ grantType: 'clientCredentials' });
    expect((await request(created)).outputs).toEqual(ANSWER);
    expect(service.grants).toMatchObject([{ grant_type: 'client_credentials', scope: 'read write' }]);
    service.accepted.clear();
    expect((await request(created)).outputs).toEqual(ANSWER);
    expect(service.grants).toHaveLength(2);
  });

  it('survives changes of other fields, and not of all', async () => {
    const created = await connected();
    await server.credentials.update(created.id, { data: { scope: 'read' }, partial: true });
    expect((await request(created)).outputs).toEqual(ANSWER);
    const updated = await server.credentials.update(created.id, { data: DATA });
    expect(updated?.connected).toBeUndefined();
    expect((await request(created)).error?.message).toBe('Unable to sign without access token');
  });

  it('works for the predefined types of services', async () => {
    const { accessTokenUrl, clientId, clientSecret } = DATA;
    const created = await server.credentials.create('Sheets', 'googleSheetsOAuth2Api', {
      clientId,
      clientSecret,
    });
    const url = new URL((await server.connections.begin(created.id, signal))!);
    expect(url.host).toBe('accounts.google.com');
    expect(url.searchParams.get('scope')).toContain('https://www.googleapis.com/auth/spreadsheets');
    expect(url.searchParams.get('access_type')).toBe('offline');
    await server.credentials.update(created.id, { data: { accessTokenUrl }, partial: true });
    await callback(service.login(url.href));
    expect((await request(created, 'googleSheetsOAuth2Api')).outputs).toEqual(ANSWER);
  });
});

describe('a service account', () => {
  const scope = 'https://www.googleapis.com/auth/spreadsheets https://www.googleapis.com/auth/drive';

  async function account(data: JsonObject = {}) {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const all = { email: 'bot@p.test', privateKey: pem, ...data };
    return { publicKey, created: await server.credentials.create(`Bot ${++count}`, 'googleApi', all) };
  }

  const readSheet = ({ id, name }: { id: string; name: string }) =>
    runWebhookNode(server.engine, {
      type: 'googleSheets',
      typeVersion: 4.5,
      parameters: { authentication: 'serviceAccount', documentId: 'd', sheetName: '0' },
      credentials: { googleApi: { id, name } },
    });

  it('signs a request for a token with the scope of the node, once', async () => {
    const { created, publicKey } = await account({ inpersonate: true, delegatedEmail: 'al@p.test' });
    await Promise.all([readSheet(created), readSheet(created)]);
    expect(service.grants).toHaveLength(1);
    const { grant_type, assertion } = service.grants[0]!;
    expect(grant_type).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const [header, payload, signature] = String(assertion).split('.');
    const isSigned = createVerify('RSA-SHA256')
      .update(`${header}.${payload}`)
      .verify(publicKey, Buffer.from(signature!, 'base64url'));
    expect(isSigned).toBe(true);
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString());
    expect(claims).toMatchObject({
      iss: 'bot@p.test',
      sub: 'al@p.test',
      scope,
      aud: 'https://oauth2.googleapis.com/token',
    });
    expect(claims.exp - claims.iat).toBe(3600);
  });

  it('with a key that cannot sign is refused', async () => {
    const { created } = await account({ privateKey: 'none' });
    expect((await readSheet(created)).error?.message).toBe(
      'The private key of the service account is not valid',
    );
    await expect(server.connections.begin(created.id, signal)).rejects.toThrow('need no login');
  });
});
