import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { openEngine, runCase } from '#test/support/webhooks/workflow-case.ts';
import { signJwt } from '../../credentials/jwt.ts';
import type { Engine } from '../../engine/engine.ts';

const JWT = { keyType: 'passphrase' as const, secret: 's', algorithm: 'HS256' };
let engine: Engine;
beforeAll(async () => {
  ({ engine } = await openEngine({}, { credentials: { data: async () => JWT } }));
});
afterAll(() => engine.close());

async function jwt(parameters: JsonObject, json: JsonObject) {
  const credentials = { jwtAuth: { id: '1', name: 'jwt' } };
  const nodes = [{ type: 'n8n-nodes-base.jwt', typeVersion: 1, parameters, credentials }];
  const [done] = await runCase(engine, { label: 'jwt', nodes, input: { items: [json] } });
  return done!.output[0]![0]!.json;
}

describe('JWT', () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  const verify = (token: string, options = {}) => jwt({ operation: 'verify', token, options }, {});
  test('signs claims and verifies them', async () => {
    const claims = { audience: 'a', expiresIn: 60, issuer: 'i', jwtid: 'j', subject: 's' };
    const { token } = await jwt({ claims, options: { algorithm: 'HS512', kid: 'k1' } }, {});
    const { payload } = (await verify(String(token), { algorithm: 'HS512' })) as { payload: JsonObject };
    expect(payload).toEqual({
      aud: 'a',
      exp: expect.any(Number),
      iss: 'i',
      jti: 'j',
      sub: 's',
      iat: expect.any(Number),
    });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(60);
    const complete = await jwt({ operation: 'decode', token, options: { complete: true } }, {});
    expect(complete).toMatchObject({
      header: { alg: 'HS512', typ: 'JWT', kid: 'k1' },
      payload,
      signature: expect.any(String),
    });
  });
  test('signs claims in JSON', async () => {
    const parameters = { useJson: true, claimsJson: '={ "n": {{ $json.n }} }' };
    const { token } = await jwt(parameters, { n: 5 });
    expect(await verify(String(token))).toMatchObject({ payload: { n: 5 } });
  });
  test('refuses tokens that are not valid, unless an option ignores the reason', async () => {
    const old = await signJwt({ exp: seconds() - 10 }, JWT, Date.now());
    expect(await verify(old)).toEqual({ error: 'jwt expired' });
    expect(await verify(old, { clockTolerance: 60 })).toHaveProperty('payload');
    expect(await verify(old, { ignoreExpiration: true })).toHaveProperty('payload');
    const early = await signJwt({ nbf: seconds() + 100 }, JWT, Date.now());
    expect(await verify(early)).toEqual({ error: 'jwt not active' });
    expect(await verify(early, { ignoreNotBefore: true })).toHaveProperty('payload');
    const forged = await signJwt({}, { ...JWT, secret: 'other' }, Date.now());
    expect(await verify(forged, { ignoreExpiration: true })).toEqual({ error: 'invalid signature' });
    expect(await jwt({ operation: 'decode', token: 'x.y' }, {})).toEqual({ error: 'jwt malformed' });
  });
});
