import { expect, it } from 'vitest';
import type { LoggedRequest } from './logged-requests.ts';
import { filterRequests, timeBars } from './request-filter.ts';

const request = (id: string, more: Partial<LoggedRequest>): LoggedRequest => ({
  id,
  at: 0,
  method: 'GET',
  path: '/api/tags',
  listener: 'origin',
  finished: true,
  ...more,
});
const all = [
  request('list', { status: 200, ms: 10, headMs: 10 }),
  request('chat', {
    at: 20,
    method: 'POST',
    path: '/api/chat',
    body: '{"model":"Qwen"}',
    status: 200,
    headMs: 20,
    ms: 80,
  }),
  request('none', { at: 50, path: '/api/none', status: 404, ms: 5, headMs: 5 }),
  request('cut', { at: 60, status: 200, error: 'the client has left', ms: 20 }),
  request('open', { at: 90, method: 'POST', path: '/prompt', finished: false }),
];
const ids = (text: string, states: 'all' | 'failed' | 'running') =>
  filterRequests(all, text, states).map(({ id }) => id);

it('filters by state and by words in method, path, status and body', () => {
  expect(ids('', 'all')).toHaveLength(5);
  expect(ids('', 'failed')).toEqual(['none', 'cut']);
  expect(ids('', 'running')).toEqual(['open']);
  expect(ids('post qwen', 'all')).toEqual(['chat']);
  expect(ids('404', 'all')).toEqual(['none']);
  expect(ids('404 qwen', 'all')).toEqual([]);
});

it('puts all requests on one time line', () => {
  expect(timeBars(all)).toEqual([
    { before: 0, waiting: 10, answering: 0 },
    { before: 20, waiting: 20, answering: 60 },
    { before: 50, waiting: 5, answering: 0 },
    { before: 60, waiting: 20, answering: 0 },
    { before: 90, waiting: 0, answering: 0 },
  ]);
  expect(timeBars([])).toEqual([]);
});
