import { expect, it, vi } from 'vitest';
import { changeBrowser, createLink, readBrowsers, revokeBrowser } from './browser-list.ts';

const answers = (value: unknown, status = 200) =>
  vi.fn<typeof fetch>(async () => Response.json(value, { status }));

it('reads the list', async () => {
  const tabs = [{ id: 'a', name: 'Laptop' }];
  expect(await readBrowsers(answers({ tabs }))).toEqual(tabs);
});

it.each([
  ['a refusal', answers({ error: 'no' }, 403)],
  ['another answer', answers({ hello: 'world' })],
  ['no JSON', vi.fn<typeof fetch>(async () => new Response('<!doctype html>'))],
  ['no network', vi.fn<typeof fetch>(() => Promise.reject(new TypeError('Failed to fetch')))],
])('has no list with %s', async (_what, ask) => {
  expect(await readBrowsers(ask)).toBeUndefined();
});

it('changes, revokes and links, by the id', async () => {
  const ask = answers({ link: 'http://localhost/#/bridge?token=x', outside: [] });
  await changeBrowser('a/b', { name: 'Phone' }, ask);
  await changeBrowser('a', { home: true }, ask);
  await revokeBrowser('a', ask);
  expect((await createLink(ask)).outside).toEqual([]);
  expect(ask.mock.calls).toEqual([
    ['/tabd/tabs/a%2Fb', { method: 'POST', body: '{"name":"Phone"}' }],
    ['/tabd/tabs/a', { method: 'POST', body: '{"home":true}' }],
    ['/tabd/tabs/a', { method: 'DELETE' }],
    ['/tabd/tabs/link', { method: 'POST' }],
  ]);
});

it("fails with the server's message", async () => {
  const ask = answers({ error: "another browser is called 'Phone'" }, 409);
  await expect(changeBrowser('a', { name: 'Phone' }, ask)).rejects.toThrow("called 'Phone'");
});
