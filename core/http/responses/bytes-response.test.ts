import { expect, test } from 'vitest';
import { BytesResponse } from './bytes-response.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const response = () =>
  new BytesResponse(bytes('{"a":1}'), { status: 201, headers: { 'content-type': 'application/json' } });

test('it reads as any other response', async () => {
  expect(response()).toBeInstanceOf(Response);
  expect([response().status, response().ok, response().headers.get('content-type')]).toEqual([
    201,
    true,
    'application/json',
  ]);
  expect(await response().text()).toBe('{"a":1}');
  expect(await response().json()).toEqual({ a: 1 });
  expect(new Uint8Array(await response().arrayBuffer())).toEqual(bytes('{"a":1}'));
  const blob = await response().blob();
  expect([blob.type, await blob.text()]).toEqual(['application/json', '{"a":1}']);
  expect(await new Response(response().body).text()).toBe('{"a":1}');
  const form = new BytesResponse(bytes('a=1'), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect((await form.formData()).get('a')).toBe('1');
});

test('its body is read once', async () => {
  const read = response();
  expect(read.bodyUsed).toBe(false);
  await read.text();
  expect(read.bodyUsed).toBe(true);
  await expect(read.text()).rejects.toThrow(TypeError);
  expect(() => read.clone()).toThrow(TypeError);
});

test('a cancelled stream counts as read', async () => {
  const left = response();
  await left.body!.cancel();
  expect(left.bodyUsed).toBe(true);
});

test('a copy has its own headers and body', async () => {
  const first = response();
  const second = first.clone();
  second.headers.set('x-second', '2');
  expect(first.headers.has('x-second')).toBe(false);
  expect([await first.text(), await second.text(), second.status]).toEqual(['{"a":1}', '{"a":1}', 201]);
});
