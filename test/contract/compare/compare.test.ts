import { expect, test } from 'vitest';
import type { Answer } from '../exchange.ts';
import { compare } from './compare.ts';

const json = (body: string, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body,
});
const lines = (...body: string[]): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/x-ndjson' },
  body: body.map((line) => `${line}\n`).join(''),
});

test.each([
  [
    'times and words vary',
    json('{"created_at":"a","response":"x"}'),
    json('{"created_at":"b","response":"y"}'),
  ],
  [
    'a stream may have more tokens',
    lines('{"response":"a","done":false}', '{"response":"","done":true}'),
    lines('{"response":"a","done":false}', '{"response":"b","done":false}', '{"response":"","done":true}'),
  ],
  [
    'stores lie elsewhere',
    json(`{"modelfile":"FROM /models/blobs/sha256-${'a'.repeat(64)}\\n"}`),
    json(`{"modelfile":"FROM /home/x/.tabd/blobs/sha256-${'b'.repeat(64)}\\n"}`),
  ],
])('%s', (_name, expected, actual) => {
  expect(compare(expected, actual)).toBeUndefined();
});

test.each([
  ['order of fields', json('{"a":1,"b":2}'), json('{"b":2,"a":1}'), 'instead of'],
  ['status', json('{}'), json('{"error":"no"}', 501), 'status 501 instead of 200: {"error":"no"}'],
  ['an error text', json('{"error":"x"}', 400), json('{"error":"y"}', 400), 'instead of'],
  ['a fixed value', json('{"done_reason":"stop"}'), json('{"done_reason":"length"}'), 'instead of'],
  ['text where there was none', json('{"response":""}'), json('{"response":"a"}'), 'instead of'],
  ['a last line missing', lines('{"done":false}', '{"done":true}'), lines('{"done":false}'), 'missing'],
  ['a newline at the end', json('{}'), json('{}\n'), 'framed as'],
  ['a type', json('{"eval_count":1}'), json('{"eval_count":"1"}'), 'instead of'],
])('%s differs', (_name, expected, actual, reason) => {
  expect(compare(expected, actual)).toContain(reason);
});
