import { expect, it } from 'vitest';
import { emptyResponse, jsonResponse, textResponse, withHeaders } from './plain-response.ts';

const headersOf = ({ headers }: Response) => Object.fromEntries(headers);

it('a text has its length in bytes', async () => {
  const response = textResponse('héllo', 418, 'text/plain', { 'x-a': '1', 'content-type': 'other' });
  expect(response.status).toBe(418);
  expect(headersOf(response)).toEqual({ 'content-type': 'text/plain', 'content-length': '6', 'x-a': '1' });
  expect(await response.text()).toBe('héllo');
});

it('JSON is printed as Go prints it, with status 200 unless another is set', async () => {
  const response = jsonResponse({ a: '<' });
  expect(response.status).toBe(200);
  expect(headersOf(response)).toEqual({
    'content-type': 'application/json; charset=utf-8',
    'content-length': '14',
  });
  expect(await response.text()).toBe('{"a":"\\u003c"}');
  expect(headersOf(jsonResponse(1, 404, { allow: 'GET' }))).toMatchObject({ allow: 'GET' });
});

it('no body has the length 0, except for 204, which has none', () => {
  expect(headersOf(emptyResponse(403, { allow: 'GET' }))).toEqual({ allow: 'GET', 'content-length': '0' });
  expect(headersOf(emptyResponse(204))).toEqual({});
  expect(emptyResponse(204).body).toBeNull();
});

it('headers are set on the response itself', () => {
  const response = new Response('x', { headers: { 'x-a': '1' } });
  expect(withHeaders(response, { 'x-a': '2', 'x-b': '3' })).toBe(response);
  expect(headersOf(response)).toMatchObject({ 'x-a': '2', 'x-b': '3' });
});

it('a response with immutable headers is copied', () => {
  const redirect = Response.redirect('http://a.test/', 307);
  const copy = withHeaders(redirect, { 'x-a': '1' });
  expect(copy).not.toBe(redirect);
  expect(copy.status).toBe(307);
  expect(headersOf(copy)).toEqual({ location: 'http://a.test/', 'x-a': '1' });
});
