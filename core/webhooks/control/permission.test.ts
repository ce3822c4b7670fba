import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openControl, type TestControl } from '#test/support/webhooks/control.ts';

let control: TestControl;
beforeEach(async () => {
  control = await openControl();
});
afterEach(() => control.close());

/** The status and the message of an error. */
const errorOf = async (...call: Parameters<TestControl['ask']>) => {
  const response = await control.ask(...call);
  return [response.status, ((await response.json()) as { message: string }).message];
};

describe('permission', () => {
  const outsider = { caller: undefined };
  const page = { caller: 'page', listener: 'origin' } as const;

  it('needs a key, which is valid until it is deleted', async () => {
    expect(await errorOf('GET', '/workflows', { context: outsider })).toEqual([401, 'Unauthorized']);
    const { apiKey, id, ending } = await control.json('POST', '/keys', { label: 'laptop' });
    expect(apiKey.endsWith(ending)).toBe(true);
    const ask = (key: string) =>
      control.ask('GET', '/workflows', { context: outsider, headers: { 'X-N8N-API-KEY': key } });
    expect((await ask(apiKey)).status).toBe(200);
    expect((await ask(`${apiKey}x`)).status).toBe(401);
    expect((await ask(apiKey.toUpperCase())).status).toBe(401);
    await control.json('DELETE', `/keys/${id}`);
    expect((await ask(apiKey)).status).toBe(401);
  });

  it('stores only digests of keys, and never shows a key again', async () => {
    const { apiKey } = await control.json('POST', '/keys', { label: 'laptop' });
    expect(JSON.stringify(await control.json('GET', '/keys'))).not.toContain(apiKey);
    expect(JSON.stringify(await control.host.records.collection('workflowKeys').list())).not.toContain(
      apiKey.slice(5, 40),
    );
  });

  it('does not permit keys to create keys', async () => {
    const { apiKey } = await control.json('POST', '/keys', {});
    const options = { context: outsider, headers: { 'X-N8N-API-KEY': apiKey }, body: {} };
    expect(await errorOf('POST', '/keys', options)).toEqual([403, expect.stringContaining("'tabd key'")]);
  });

  it('does not store temporary keys', async () => {
    const { apiKey } = await control.json('POST', '/keys', { temporary: true });
    const headers = { 'X-N8N-API-KEY': apiKey };
    expect((await control.ask('GET', '/workflows', { context: outsider, headers })).status).toBe(200);
    expect((await control.json('GET', '/keys')).data).toEqual([]);
  });

  it('permits scripts of the tab by their header, but no navigation or form of another site', async () => {
    const script = await control.ask('GET', '/workflows', {
      context: page,
      headers: { 'X-N8N-API-KEY': 'this tab' },
    });
    expect(script.status).toBe(200);
    const form = { context: page, body: 'a=1', headers: { 'content-type': 'text/plain' } };
    expect((await control.ask('POST', '/workflows', form)).status).toBe(401);
    expect(await control.engine.workflows.list()).toEqual([]);
  });

  it.each([
    [{ origin: 'https://evil.example' }, 'Pages of https://evil.example may not manage workflows here'],
    [{ origin: 'null' }, 'Pages of null may not manage workflows here'],
    [{ host: 'evil.example:5678' }, /managed at localhost, not as "evil.example:5678"/],
  ])('refuses %j, even with a key', async (headers, message) => {
    const { apiKey } = await control.json('POST', '/keys', {});
    const allHeaders = { ...(headers as Record<string, string>), 'X-N8N-API-KEY': apiKey };
    const expected = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(await errorOf('POST', '/workflows', { context: outsider, headers: allHeaders, body: {} })).toEqual(
      [403, expected],
    );
    const preflight = await control.ask('OPTIONS', '/workflows', { context: outsider, headers: allHeaders });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  it('permits the page of this tabd with a key', async () => {
    const origin = 'http://localhost:4180';
    const preflight = await control.ask('OPTIONS', '/workflows', { context: outsider, headers: { origin } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-n8n-api-key');
    const bare = await control.ask('GET', '/workflows', { context: outsider, headers: { origin } });
    expect([bare.status, bare.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
  });
});
