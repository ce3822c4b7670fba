import { expect, test } from 'vitest';
import { SwitchableServer } from '../bridge/switchable-server.ts';
import { TabBridge } from '../bridge/tab-bridge.ts';
import { ANSWERING_PATH, answeringRoutes } from './answering-routes.ts';

const ORIGIN = 'http://localhost:4180';

function setUp() {
  const node = {
    fetch: async () => new Response(),
    connect: async () => new Response(),
    close: async () => {},
  };
  const tab = new TabBridge({ appOrigins: [ORIGIN] });
  const answering = new SwitchableServer({ node, tab, by: 'node', onChange: () => {} });
  const storedChoices: string[] = [];
  const routes = answeringRoutes(
    () => answering,
    (by) => storedChoices.push(by),
  );
  const ask = (here: boolean, headers: Record<string, string> = {}) => {
    const body = JSON.stringify({ by: 'tab' });
    const init = {
      method: 'POST',
      body,
      headers: { origin: ORIGIN, 'sec-fetch-site': 'same-origin', ...headers },
    };
    return routes(new Request(`${ORIGIN}${ANSWERING_PATH}`, init), ANSWERING_PATH, here)!;
  };
  return { answering, storedChoices, ask };
}

test('the page on this computer lets a tab answer, and gets its token', async () => {
  const { answering, storedChoices, ask } = setUp();
  const state = await (await ask(true)).json();
  expect(state).toMatchObject({ by: 'tab', token: answering.bridge.pairing.token });
  expect([answering.by, storedChoices]).toEqual(['tab', ['tab']]);
});

test.each([
  ['a program of another computer with the headers of a browser', false, {}],
  ['a page of another site', true, { 'sec-fetch-site': 'cross-site' }],
  ['a page of another origin', true, { origin: 'https://evil.example' }],
] as const)('%s changes nothing and learns no token', async (_requester, here, headers) => {
  const { answering, storedChoices, ask } = setUp();
  const answer = await ask(here, headers);
  expect(answer.status).toBe(403);
  expect(await answer.text()).not.toContain(answering.bridge.pairing.token);
  expect([answering.by, storedChoices]).toEqual(['node', []]);
});
