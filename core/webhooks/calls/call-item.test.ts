import { describe, expect, it } from 'vitest';
import { webhookCall } from '#test/support/webhooks/webhook-call.ts';
import { outputOnMethod, webhookItem } from './call-item.ts';

const ADDRESS = 'http://localhost:5678/webhook/x';
const item = (
  headers: Record<string, string>,
  { search = '', defaultUserAgent }: { search?: string; defaultUserAgent?: string } = {},
  jwtPayload?: Record<string, unknown>,
) => {
  const call = { ...webhookCall(new Request(ADDRESS, { headers })), search };
  const capabilities = { defaultUserAgent } as never;
  return webhookItem(call, { body: { b: 1 }, binary: {} }, jwtPayload, capabilities);
};

describe('callItem', () => {
  it('has body, mode and pairing, and fields only if they have a value', () => {
    expect(item({})).toEqual({
      json: {
        headers: { host: 'localhost:5678' },
        params: {},
        query: {},
        body: { b: 1 },
        webhookUrl: expect.any(String),
        executionMode: 'production',
      },
      pairedItem: { item: 0 },
    });
    expect(item({}, {}, { sub: 'x' }).json.jwtPayload).toEqual({ sub: 'x' });
  });

  it('has the files of the body', () => {
    const binary = { data: { mimeType: 'a/b', data: '' } } as never;
    const call = webhookCall(new Request(ADDRESS));
    const { json, ...rest } = webhookItem(call, { body: undefined, binary }, undefined, {} as never);
    expect(rest).toEqual({ binary, pairedItem: { item: 0 } });
    expect(json).not.toHaveProperty('body');
  });

  it('adds host and browser, which the request of a page hides', () => {
    const headers = (own: Record<string, string>) =>
      item(own, { defaultUserAgent: 'Browser 1' }).json.headers;
    expect(headers({})).toEqual({ host: 'localhost:5678', 'user-agent': 'Browser 1' });
    expect(headers({ 'user-agent': 'own' })).toEqual({ host: 'localhost:5678', 'user-agent': 'own' });
    expect(headers({ host: 'box' })).toMatchObject({ host: 'box' });
  });

  it('keeps empty headers, and leaves out own cookies', () => {
    const { headers } = item({ 'x-empty': '', cookie: 'a=1; n8n-auth=x;b=2; tabd-key=y' }).json;
    expect(headers).toMatchObject({ 'x-empty': '', cookie: 'a=1; b=2' });
  });

  it.each([
    ['', {}],
    ['?', {}],
    ['?a=1&a=2', { a: ['1', '2'] }],
    ['?a[b]=?', { a: { b: '?' } }],
    [`?${'x=1&'.repeat(1001)}y=2`, { x: Array(1000).fill('1') }],
  ])('query %#', (search, query) => {
    const found = item({}, { search }).json.query as { x?: object };
    expect(found.x ? { x: Object.values(found.x) } : found).toEqual(query);
  });
});

it('outputOnMethod uses the output of the method if the node has one for each', () => {
  const parameters = { multipleMethods: true, httpMethod: ['GET', 'POST'] };
  const call = (method: string, more: object) =>
    webhookCall(new Request(ADDRESS, { method }), { parameters: more as Record<string, unknown> });
  const item = { json: {} };
  expect(outputOnMethod(call('POST', parameters), item)).toEqual([[], [item]]);
  expect(outputOnMethod(call('GET', parameters), item)).toEqual([[item], []]);
  expect(outputOnMethod(call('POST', { httpMethod: 'POST' }), item)).toEqual([[item]]);
});
