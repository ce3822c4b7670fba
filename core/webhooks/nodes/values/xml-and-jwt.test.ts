import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { openEngine, runCase } from '#test/support/webhooks/workflow-case.ts';
import { signJwt } from '../../credentials/jwt.ts';
import type { Engine } from '../../engine/engine.ts';

const JWT = { keyType: 'passphrase' as const, secret: 's', algorithm: 'HS256' };
let engine: Engine;
beforeAll(async () => {
  engine = (await openEngine({}, { credentials: { data: async () => JWT } })).engine;
});
afterAll(() => engine.close());

async function run(type: string, parameters: JsonObject, json: JsonObject) {
  const credentials = { jwtAuth: { id: '1', name: 'jwt' } };
  const nodes = [{ type: `n8n-nodes-base.${type}`, typeVersion: 1, parameters, credentials }];
  const [done] = await runCase(engine, { label: type, nodes, input: { items: [json] } });
  return done!.output[0]![0]!.json;
}

describe('XML', () => {
  const toJson = (data: string, options = {}) => run('xml', { options }, { data });
  const toXml = (json: JsonObject, options = {}) => run('xml', { mode: 'jsonToxml', options }, json);
  const doc = '<R a="1"><I>x</I><I b="2"> y  z </I><J/></R>';

  test('to JSON', async () => {
    expect(await toJson(doc)).toEqual({ R: { a: '1', I: ['x', { b: '2', _: ' y  z ' }], J: '' } });
  });
  test.each([
    [{ mergeAttrs: false }, { R: { $: { a: '1' }, I: ['x', { $: { b: '2' }, _: ' y  z ' }], J: '' } }],
    [{ ignoreAttrs: true, trim: true }, { R: { I: ['x', 'y  z'], J: '' } }],
    [{ explicitArray: true, ignoreAttrs: true, normalize: true }, { R: { I: ['x', 'y z'], J: [''] } }],
    [
      { explicitRoot: false, normalizeTags: true, attrkey: '@', charkey: '#', mergeAttrs: false },
      { '@': { a: '1' }, i: ['x', { '@': { b: '2' }, '#': ' y  z ' }], j: '' },
    ],
  ])('to JSON with %j', async (options, expected) => {
    expect(await toJson(doc, options)).toEqual(expected);
  });
  test('to XML and back', async () => {
    const json = { a: 1, list: ['x', 'y'], o: { $: { k: '<"&' }, _: 'a & b', c: null }, e: '', b: true };
    const { data } = (await toXml(json)) as { data: string };
    expect(data.split('\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
      '<root>',
      '  <a>1</a>',
      '  <list>x</list>',
      '  <list>y</list>',
      '  <o k="&lt;&quot;&amp;">',
      '    a &amp; b',
      '    <c/>',
      '  </o>',
      '  <e/>',
      '  <b>true</b>',
      '</root>',
    ]);
    expect(await toJson(data, { mergeAttrs: false, trim: true })).toEqual({
      root: { a: '1', list: ['x', 'y'], o: { $: { k: '<"&' }, _: 'a & b', c: '' }, e: '', b: 'true' },
    });
  });
  test('to XML with options', async () => {
    expect(await toXml({ top: { a: '<b>]]>' } }, { headless: true, cdata: true })).toEqual({
      data: '<top>\n  <a><![CDATA[<b>]]]]><![CDATA[>]]></a>\n</top>',
    });
    expect(await toXml({ a: 1 }, { headless: true, rootName: 'r' })).toEqual({
      data: '<r>\n  <a>1</a>\n</r>',
    });
  });
  test('what cannot be done says why', async () => {
    expect(await toJson('<a>')).toEqual({ error: expect.stringContaining('Unclosed root tag') });
    expect(await run('xml', {}, {})).toEqual({ error: 'Item has no JSON property called "data"' });
    expect(await toXml({ x: 1, '<script>': 1 })).toEqual({
      error: '"<script>" cannot be the name of an XML element',
    });
    expect(await toXml({ a: '\u0001' })).toEqual({ error: expect.stringContaining('control character') });
  });
});

describe('JWT', () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  const verify = (token: string, options = {}) => run('jwt', { operation: 'verify', token, options }, {});
  test('signs claims, and verifies them', async () => {
    const claims = { audience: 'a', expiresIn: 60, issuer: 'i', jwtid: 'j', subject: 's' };
    const { token } = await run('jwt', { claims, options: { algorithm: 'HS512', kid: 'k1' } }, {});
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
    const complete = await run('jwt', { operation: 'decode', token, options: { complete: true } }, {});
    expect(complete).toMatchObject({
      header: { alg: 'HS512', typ: 'JWT', kid: 'k1' },
      payload,
      signature: expect.any(String),
    });
  });
  test('signs JSON', async () => {
    const parameters = { useJson: true, claimsJson: '={ "n": {{ $json.n }} }' };
    const { token } = await run('jwt', parameters, { n: 5 });
    expect(await verify(String(token))).toMatchObject({ payload: { n: 5 } });
  });
  test('refuses what does not hold, unless told to overlook it', async () => {
    const old = await signJwt({ exp: seconds() - 10 }, JWT, Date.now());
    expect(await verify(old)).toEqual({ error: 'jwt expired' });
    expect(await verify(old, { clockTolerance: 60 })).toHaveProperty('payload');
    expect(await verify(old, { ignoreExpiration: true })).toHaveProperty('payload');
    const early = await signJwt({ nbf: seconds() + 100 }, JWT, Date.now());
    expect(await verify(early)).toEqual({ error: 'jwt not active' });
    expect(await verify(early, { ignoreNotBefore: true })).toHaveProperty('payload');
    const forged = await signJwt({}, { ...JWT, secret: 'other' }, Date.now());
    expect(await verify(forged, { ignoreExpiration: true })).toEqual({ error: 'invalid signature' });
    expect(await run('jwt', { operation: 'decode', token: 'x.y' }, {})).toEqual({ error: 'jwt malformed' });
  });
});
