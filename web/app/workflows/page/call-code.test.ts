import { expect, it } from 'vitest';
import type { Address, WorkflowNode } from '../api-types.ts';
import { callAsCurl, callAsFetch } from './call-code.ts';

const address = (method: string, url = 'http://localhost:5678/webhook/ask'): Address => ({
  node: 'Webhook',
  methods: [method],
  url,
  path: '/webhook/ask',
  reachable: true,
});
const webhook = (authentication?: string) => ({ parameters: { authentication } }) as unknown as WorkflowNode;

it('sends no body with GET', () => {
  expect(callAsCurl(address('GET'), undefined)).toBe('curl http://localhost:5678/webhook/ask');
  expect(callAsFetch(address('GET'))).toBe("await fetch('/webhook/ask')");
});

it('sends JSON with POST', () => {
  const curl = callAsCurl(address('POST'), undefined);
  expect(curl).toMatch(/^curl -X POST http:/);
  expect(curl).toContain("-H 'Content-Type: application/json'");
  expect(callAsFetch(address('POST'))).toContain("method: 'POST'");
});

it('names the method of a request without a body', () => {
  expect(callAsCurl(address('DELETE'), undefined)).toBe('curl -X DELETE http://localhost:5678/webhook/ask');
  expect(callAsFetch(address('DELETE'))).toBe("await fetch('/webhook/ask', { method: 'DELETE' })");
});

it.each([
  ['basicAuth', "-u 'USER:PASSWORD'"],
  ['headerAuth', "-H 'HEADER_NAME: VALUE'"],
  ['jwtAuth', "-H 'Authorization: Bearer TOKEN'"],
])('adds placeholders for %s', (authentication, argument) => {
  expect(callAsCurl(address('GET'), webhook(authentication))).toContain(argument);
});

it('quotes an address that the shell would change', () => {
  const url = "http://localhost:5678/webhook/it's?a=1&b=2";
  expect(callAsCurl(address('GET', url), undefined)).toBe(
    "curl 'http://localhost:5678/webhook/it'\\''s?a=1&b=2'",
  );
});
