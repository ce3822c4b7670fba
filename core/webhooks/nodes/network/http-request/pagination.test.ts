import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { parameterContext } from '#test/support/webhooks/parameter-context.ts';
import { openSandbox } from '#test/support/webhooks/sandbox-scripts.ts';
import { httpRequest } from '../http-request.ts';
import type { RequestDescription } from './describe-request.ts';
import { endsPagination, fetchPages, isPaginated } from './pagination.ts';
import type { ReceivedResponse } from './response.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

const FIRST: RequestDescription = {
  method: 'GET',
  url: 'http://a.test/list?x=1',
  query: { size: 2 },
  headers: {},
  body: { kind: 'none' },
  arrays: 'repeat',
};

function context(pagination: JsonObject, more: object = {}) {
  const parameters = { url: FIRST.url, options: { pagination: { pagination } } };
  return parameterContext(httpRequest, parameters, { expressions: sandbox.expressions, more });
}

/** Fetches pages whose bodies or responses are listed. The last one repeats. */
async function fetchAll(
  pagination: JsonObject,
  pages: (Partial<ReceivedResponse> & { body?: unknown })[],
  { first = FIRST, more = {} }: { first?: RequestDescription; more?: object } = {},
) {
  const sent: RequestDescription[] = [];
  const fetchPage = async (request: RequestDescription): Promise<ReceivedResponse> => {
    const page = pages[Math.min(sent.length, pages.length - 1)]!;
    sent.push(request);
    return { statusCode: 200, statusMessage: 'OK', headers: {}, format: 'json', body: undefined, ...page };
  };
  const received: unknown[] = [];
  for await (const { body } of fetchPages(first, fetchPage, context(pagination, more), 0))
    received.push(body);
  return { sent, received };
}

const byPage = (value: unknown, type = 'qs', name = 'page') => ({
  parameters: { parameters: [{ type, name, value }] },
});
const NEXT_URL = { paginationMode: 'responseContainsNextURL', nextURL: '={{ $response.body.next }}' };

describe('the end', () => {
  it.each([
    ['empty text', { body: '' }],
    ['null', { body: null }],
    ['an empty list', { body: [] }],
    ['an empty object', { body: {} }],
    ['no body', { body: undefined }],
    ['an empty file', { bytes: new Uint8Array() }],
  ])('is a page with %s, which is left out', async (_name, last) => {
    const { received, sent } = await fetchAll(byPage('={{ $pageCount }}'), [{ body: [1] }, last]);
    expect([received, sent.length]).toEqual([[[1]], 2]);
  });

  it.each([[0], [false], ['0'], [[null]], [{ a: undefined }]])('is not a page with %j', async (body) => {
    const { received } = await fetchAll({ ...byPage('1'), maxRequests: 2 }, [{ body }]);
    expect(received).toEqual([body, body]);
  });

  it.each([
    ['404', 1],
    [' 500 , 404 ', 1],
    ['40', 3],
    ['', 3],
    ['4xx', 3],
  ])('is a page with one of the statuses %j', async (statusCodesWhenComplete, pages) => {
    const paginationCompleteWhen = 'receiveSpecificStatusCodes';
    const settings = { ...byPage('1'), paginationCompleteWhen, statusCodesWhenComplete, maxRequests: 3 };
    const { received } = await fetchAll(settings, [{ body: 1 }, { body: 2, statusCode: 404 }]);
    expect(received).toHaveLength(pages);
    expect(await endsPagination(context(settings), 0, 404)).toBe(pages === 1);
  });

  it('is the page for which the expression is exactly true', async () => {
    const when = { paginationCompleteWhen: 'other', maxRequests: 4 };
    const pages = [{ body: 1 }, { body: 2 }, { body: 3 }];
    const end = { ...byPage('1'), ...when, completeExpression: '={{ $response.body === 2 }}' };
    expect((await fetchAll(end, pages)).received).toEqual([1, 2]);
    const truthy = { ...end, completeExpression: '={{ $response.body }}' };
    expect((await fetchAll(truthy, pages)).received).toHaveLength(4);
  });

  it.each([[0], [1]])('is the limit of %i pages, but never before the first', async (maxRequests) => {
    expect((await fetchAll({ ...byPage('1'), maxRequests }, [{ body: 1 }])).received).toEqual([1]);
  });

  it('comes after five identical responses', async () => {
    const settings = { ...byPage('1'), limitPagesFetched: false };
    await expect(fetchAll(settings, [{ body: { a: 1 } }])).rejects.toThrow('was identical 5x');
    const pages = [1, 1, 1, 1, 2, 1, 1, 1, 1, ''].map((body) => ({ body }));
    expect((await fetchAll(settings, pages)).received).toHaveLength(9);
  });

  it('comes with the end of the execution', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(fetchAll(byPage('1'), [{ body: 1 }], { more: { signal } })).rejects.toThrow('cancelled');
  });
});

describe('the next request', () => {
  const pages = [{ body: 1 }, { body: 2 }, { body: '' }];

  it('has changed parameters, and none of an earlier page', async () => {
    const { sent } = await fetchAll(byPage('={{ $pageCount }}'), pages);
    expect(sent.map(({ query }) => query)).toEqual([0, 1, 2].map((page) => ({ size: 2, page })));
    const named = byPage('x', 'headers', '=X-{{ $pageCount }}');
    expect((await fetchAll(named, pages)).sent[2]!.headers).toEqual({ 'x-2': 'x' });
    expect((await fetchAll(byPage('x', 'qs', ''), pages)).sent[1]!.query).toEqual({ size: 2 });
    expect(FIRST).toMatchObject({ query: { size: 2 }, headers: {} });
  });

  it.each([
    [{ kind: 'none' }, { kind: 'json', value: { page: 'x' } }],
    [
      { kind: 'json', value: { a: 1 } },
      { kind: 'json', value: { a: 1, page: 'x' } },
    ],
    [
      { kind: 'form', value: { page: 'old' } },
      { kind: 'form', value: { page: 'x' } },
    ],
  ])('of the body %j has %j', async (body, changed) => {
    const { sent } = await fetchAll(byPage('x', 'body'), pages, {
      first: { ...FIRST, body } as RequestDescription,
    });
    expect(sent[1]!.body).toEqual(changed);
  });

  it('is refused for a body without fields', async () => {
    const first = { ...FIRST, body: { kind: 'text', value: '', type: '' } } as const;
    await expect(fetchAll(byPage('x', 'body'), pages, { first })).rejects.toThrow(
      'Only bodies of JSON and forms',
    );
  });

  it.each([
    ['/b?p=2', 'http://a.test/b?p=2'],
    [' ?p=2 ', 'http://a.test/list?p=2'],
    ['https://b.test/', 'https://b.test/'],
  ])('goes to the next address %j', async (next, url) => {
    const { sent } = await fetchAll(NEXT_URL, [{ body: { next } }, { body: {} }]);
    expect(sent[1]).toEqual({ ...FIRST, url, query: {} });
  });

  it.each([[null], [''], ['  '], [5], [undefined]])('does not follow the next address %j', async (next) => {
    expect((await fetchAll(NEXT_URL, [{ body: { next, a: 1 } }])).sent).toHaveLength(1);
  });

  it('waits for the interval', async () => {
    const pauses: number[] = [];
    const sleep = async (milliseconds: number) => void pauses.push(milliseconds);
    await fetchAll({ ...byPage('1'), requestInterval: 7 }, pages, { more: { sleep } });
    expect(pauses).toEqual([7, 7]);
  });
});

it.each([
  [{}, true],
  [{ paginationMode: 'off' }, false],
  [NEXT_URL, true],
])('of %j is switched on: %s', (settings, expected) => {
  expect(isPaginated(context(settings))).toBe(expected);
});

it('is off without the option', () => {
  expect(isPaginated(parameterContext(httpRequest, { url: FIRST.url }))).toBe(false);
});
