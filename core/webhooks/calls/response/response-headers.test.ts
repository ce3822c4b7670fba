import { expect, it } from 'vitest';
import { sandboxResponse, withUtf8, workflowHeaders } from './response-headers.ts';

it('the last header of a name wins; reserved and invalid ones are dropped', () => {
  const headers = workflowHeaders([
    ['X-A', '1'],
    [' x-a ', '2'],
    [' Connection ', 'close'],
    ['Keep-Alive', 'x'],
    ['Upgrade', 'x'],
    ['Service-Worker-Allowed', '/'],
    ['bad name', 'x'],
    ['x-bad', 'line\nbreak'],
  ]);
  expect([...headers]).toEqual([['x-a', '2']]);
});

it('a sandboxed response has no rights over its origin', () => {
  const headers = new Headers();
  sandboxResponse(headers);
  const policy = headers.get('content-security-policy')!.split(' ');
  expect(policy).toEqual(expect.arrayContaining(['sandbox', 'allow-scripts', 'allow-forms']));
  expect(policy).not.toContain('allow-same-origin');
});

it.each([
  ['text/plain', 'text/plain; charset=utf-8'],
  ['text/plain;charset=latin1', 'text/plain; charset=utf-8'],
  ['text/plain; Charset=UTF-8 ; x=1;', 'text/plain; x=1; charset=utf-8'],
])('%s becomes %s', (type, expected) => {
  expect(withUtf8(type)).toBe(expected);
});
