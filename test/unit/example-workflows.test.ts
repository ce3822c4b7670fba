/** The workflows that the documentation imports give the documented answers. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordsSchema } from '#core/host';
import type { CallContext, Server } from '#core/http/routing/server.ts';
import { createRegistry } from '#core/local-models/registry/registry.ts';
import { createCore } from '#core/server/create-core.ts';
import { createTestHost } from '../support/host/test-host.ts';
import { ScriptedEngine } from '../support/local-models/scripted-engine.ts';
import { tinyGguf } from '../support/model-files/tiny-gguf.ts';
import { codeBlocks } from '../support/processes/markdown.ts';

const port: CallContext = {
  listener: 'webhooks',
  loopback: true,
  clientAddress: '127.0.0.1',
  appOrigins: [],
};
const operator: CallContext = { ...port, caller: 'operator' };

let server: Server;
let says = '';
beforeEach(async () => {
  const engines = [new ScriptedEngine({ script: () => says })];
  const host = createTestHost({ schema: recordsSchema, clock: 'real', engines });
  const registry = createRegistry(host);
  const blob = new Blob([tinyGguf()]);
  const file = { name: 'm.gguf', size: blob.size, stream: () => blob.stream() };
  for await (const _step of registry.importFiles('talker:1', [file], new AbortController().signal)) {
    // The last line reports success. A failure throws.
  }
  ({ server } = createCore(host, registry));
});
afterEach(() => server.close());

const ask = (path: string, init: RequestInit = {}, context = port) =>
  server.fetch(new Request(`http://localhost:5678${path}`, init), context);

async function publish(name: string): Promise<void> {
  const body = readFileSync(new URL(`../../examples/workflows/${name}.json`, import.meta.url), 'utf8');
  const imported = await ask('/api/v1/workflows/import', { method: 'POST', body }, operator);
  const { data } = (await imported.json()) as { data: { id: string }[] };
  const published = await ask(`/api/v1/workflows/${data[0]!.id}/activate`, { method: 'POST' }, operator);
  expect([published.status, await published.text()]).toEqual([
    200,
    expect.not.stringContaining('"warnings"'),
  ]);
}

it('chat', async () => {
  says = 'Because of scattering.';
  await publish('chat');
  const answer = await ask('/webhook/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'text=Why is the sky blue?',
  });
  expect(await answer.json()).toEqual({ text: 'Because of scattering.', model: 'talker:1' });
});

it('sort-mail', async () => {
  says = '{"category": "invoice"}';
  await publish('sort-mail');
  const answer = await ask('/webhook/mail', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"text": "Please pay within 14 days."}',
  });
  expect(await answer.json()).toEqual({ category: 'invoice' });
});

it('an image', async () => {
  await publish('picture');
  const answer = await ask('/webhook/picture');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(new TextDecoder('latin1').decode((await answer.arrayBuffer()).slice(1, 4))).toBe('PNG');
});

it('github-issue, with the code of its recipe', async () => {
  const { nodes } = JSON.parse(
    readFileSync(new URL('../../examples/workflows/github-issue.json', import.meta.url), 'utf8'),
  ) as { nodes: { parameters: { jsCode?: string } }[] };
  const [shown] = await codeBlocks('docs/recipes/github-webhook.md', 'js');
  expect(nodes.flatMap(({ parameters }) => parameters.jsCode ?? [])).toEqual([shown!.trimEnd()]);

  says = 'Nothing happens after the update.';
  await publish('github-issue');
  const send = async (event: string, body: string, secret: string) => {
    const digest = createHmac('sha256', secret).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-hub-signature-256': `sha256=${digest}`,
    };
    const answer = await ask('/webhook/github', { method: 'POST', headers, body });
    return [answer.status, await answer.json()];
  };
  const opened = JSON.stringify({ action: 'opened', issue: { title: 'It does not start', body: null } });
  expect(await send('issues', opened, 'another secret')).toEqual([500, { message: 'Error in workflow' }]);
  expect(await send('ping', '{"zen":"Keep it."}', 'the secret')).toEqual([202, { received: true }]);
  expect(await send('issues', opened, 'the secret')).toEqual([202, { received: true }]);

  type Run = { status: string; data: { resultData: { runData: Record<string, unknown> } } };
  const runs = async () => {
    const answer = await ask('/api/v1/executions?includeData=true', {}, operator);
    return ((await answer.json()) as { data: Run[] }).data;
  };
  await expect
    .poll(async () => (await runs()).map(({ status }) => status))
    .toEqual(['success', 'success', 'error']);
  const matches = (await runs()).map(({ data }) => JSON.stringify(data).includes(says));
  expect(matches).toEqual([true, false, false]);
});
