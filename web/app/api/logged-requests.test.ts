import { expect, it } from 'vitest';
import type { RequestNote } from '#relay/request-log.ts';
import { type LoggedRequest, withRequestNote } from './logged-requests.ts';
import { curlCommand, fetchCode, pythonCode } from './request-code.ts';

const notes: RequestNote[] = [
  { note: 'begun', id: 'a', at: 1, method: 'POST', path: '/api/chat', listener: 'origin' },
  { note: 'begun', id: 'b', at: 2, method: 'GET', path: '/api/tags', listener: 'origin' },
  { note: 'body', id: 'a', text: '{}', cut: false },
  { note: 'answered', id: 'a', status: 200, ms: 5 },
  { note: 'ended', id: 'a', ms: 9, bytes: 12, tokens: { prompt: 3, answer: 4 } },
  { note: 'ended', id: 'unknown', ms: 9, bytes: 12 },
];

it('builds requests from their notes, the newest first', () => {
  const seen = notes.reduce<LoggedRequest[]>(withRequestNote, []);
  expect(seen).toEqual([
    { id: 'b', at: 2, method: 'GET', path: '/api/tags', listener: 'origin', finished: false },
    {
      id: 'a',
      at: 1,
      method: 'POST',
      path: '/api/chat',
      listener: 'origin',
      body: '{}',
      status: 200,
      ms: 9,
      headMs: 5,
      bytes: 12,
      tokens: { prompt: 3, answer: 4 },
      finished: true,
    },
  ]);
});

it('keeps the last 200 requests', () => {
  let seen: LoggedRequest[] = [];
  for (let at = 0; at < 300; at++)
    seen = withRequestNote(seen, { ...notes[0]!, id: String(at) } as RequestNote);
  expect(seen).toHaveLength(200);
  expect(seen[0]!.id).toBe('299');
});

const body = '{"model":"m","messages":[{"role":"user","content":"it\'s"}]}';
const chat = { method: 'POST', path: '/api/chat', contentType: 'application/json', body };

it('prints a request as a curl command', () => {
  expect(curlCommand(chat, 'http://localhost:11434')).toBe(
    `curl 'http://localhost:11434/api/chat' -H 'content-type: application/json' --data-raw '{"model":"m","messages":[{"role":"user","content":"it'\\''s"}]}'`,
  );
  expect(curlCommand({ method: 'DELETE', path: '/api/delete' }, 'http://h')).toBe(
    "curl -X DELETE 'http://h/api/delete'",
  );
});

it.each([chat, { method: 'PUT', path: "/it's?a=\\", body: 'two\n"lines"' }, { method: 'GET', path: '/' }])(
  'prints a request as fetch code: %j',
  async (request) => {
    const requests: unknown[] = [];
    const fetch = async (path: string, init: RequestInit = {}) => {
      requests.push({ path, method: init.method ?? 'GET', body: init.body });
      return new Response('');
    };
    const run = new Function('fetch', 'console', `return (async () => { ${fetchCode(request)} })()`);
    await run(fetch, { log() {} });
    const { method, path, body: sent } = request as typeof chat;
    expect(requests).toEqual([{ path, method, body: sent }]);
  },
);

it('prints a request as a Python script', () => {
  expect(pythonCode(chat, 'http://localhost:11434')).toBe(
    [
      'import urllib.request',
      '',
      'request = urllib.request.Request(',
      '    "http://localhost:11434/api/chat",',
      '    method="POST",',
      '    headers={"content-type": "application/json"},',
      `    data=${JSON.stringify(body)}.encode(),`,
      ')',
      'print(urllib.request.urlopen(request).read().decode())',
    ].join('\n'),
  );
  expect(pythonCode({ method: 'GET', path: '/"\u00e9' }, 'http://h')).toContain(
    '"http://h/\\"\u00e9",\n    method="GET",\n)',
  );
});
