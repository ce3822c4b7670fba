/** Triggers that other servers call, from publishing to the execution. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JsonObject, Workflow } from '#core/workflow-format';
import { openWebhookServer, type TestWebhooks } from '#test/support/webhooks/webhook-server.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';

let server: TestWebhooks;
let seen: [method: string, path: string, body: JsonObject][];
let refuses: boolean;
/** Whether the services have lost what they were given. */
let forgets: boolean;

beforeAll(async () => {
  server = await openWebhookServer({
    fetch: async (request: Request) => {
      const text = await request.text();
      seen.push([request.method, new URL(request.url).pathname, text === '' ? {} : JSON.parse(text)]);
      if (refuses) {
        return Response.json(
          { ok: false, description: 'Bad Request: an HTTPS URL must be provided' },
          { status: 400 },
        );
      }
      if (request.method === 'GET') {
        const url = forgets ? '' : 'http://localhost:5678/webhook/hook-1/webhook';
        return forgets && request.url.includes('/hooks/')
          ? Response.json({ message: 'Not Found' }, { status: 404 })
          : Response.json({ ok: true, result: { url } });
      }
      return request.method === 'DELETE'
        ? new Response(null, { status: 204 })
        : Response.json({ ok: true, id: 42 });
    },
  });
  await server.credentials.create('Bot', 'telegramApi', { accessToken: '1:a' });
  await server.credentials.create('Hub', 'githubApi', { accessToken: 'g' });
});
afterAll(() => server.close());
beforeEach(() => {
  seen = [];
  refuses = false;
  forgets = false;
});

const telegram = (parameters: JsonObject = {}): Workflow =>
  workflowOf(
    {
      Bot: {
        type: 'telegramTrigger',
        typeVersion: 1.2,
        webhookId: 'hook-1',
        parameters: { updates: ['message'], ...parameters },
        credentials: { telegramApi: { id: null, name: 'Bot' } },
      },
      End: { type: 'noOp' },
    },
    ['Bot -> End'],
  );

const github = (): Workflow => ({
  ...workflowOf(
    {
      Hub: {
        type: 'githubTrigger',
        webhookId: 'hook-2',
        parameters: { owner: 'octo', repository: 'hello', events: ['push'] },
        credentials: { githubApi: { id: null, name: 'Hub' } },
      },
      End: { type: 'noOp' },
    },
    ['Hub -> End'],
  ),
  id: 'github',
});

/** The items of the trigger in each execution. */
async function started(workflow: Workflow): Promise<unknown[]> {
  const { executions } = server.engine;
  await executions.settle(AbortSignal.timeout(5000));
  const listed = await executions.list({ workflowId: workflow.id });
  const found = await Promise.all(listed.map(({ id }) => executions.get(id)));
  return found.map((execution) => {
    const { runData } = execution!.detail!.data.resultData;
    return runData[workflow.nodes[0]!.name]![0]!.data!.main![0]!.map(({ json }) => json);
  });
}

function deliver(path: string, json: JsonObject, headers: Record<string, string>) {
  return server.exchange('POST', path, { json, headers });
}

it('send their address to the service when the workflow is published, and take it back', async () => {
  const workflow = telegram();
  await server.publish(workflow);
  expect(seen).toEqual([
    [
      'POST',
      '/bot1:a/setWebhook',
      {
        url: 'http://localhost:5678/webhook/hook-1/webhook',
        allowed_updates: ['message'],
        secret_token: expect.stringMatching(/^[\da-f]{64}$/),
      },
    ],
  ]);
  await server.publishing.unpublish(workflow.id);
  expect(seen.slice(1)).toEqual([['POST', '/bot1:a/deleteWebhook', {}]]);
  expect((await deliver('/webhook/hook-1/webhook', {}, {}))[0]).toBe(404);
});

it('start the workflow with calls that know the secret', async () => {
  const workflow = telegram({ additionalFields: { chatIds: '7, 8' } });
  await server.publish(workflow);
  const secret = String(seen[0]![2].secret_token);
  const path = '/webhook/hook-1/webhook';
  const header = { 'x-telegram-bot-api-secret-token': secret };
  const message = (id: number) => ({ message: { chat: { id }, text: 'Hi' } });
  expect((await deliver(path, message(7), {}))[0]).toBe(403);
  expect((await deliver(path, message(7), { 'x-telegram-bot-api-secret-token': 'x' }))[0]).toBe(403);
  expect((await deliver(path, message(9), header))[0]).toBe(200);
  expect((await deliver(path, message(7), header))[0]).toBe(200);
  expect(await started(workflow)).toEqual([[message(7)]]);
  await server.publishing.unpublish(workflow.id);
});

it('check signatures, and ignore what is no event', async () => {
  const workflow = github();
  await server.publish(workflow);
  const config = seen[0]![2].config as JsonObject;
  const sign = (json: JsonObject) =>
    `sha256=${createHmac('sha256', String(config.secret)).update(JSON.stringify(json)).digest('hex')}`;
  const call = (json: JsonObject, event: string, signature = sign(json)) =>
    deliver('/webhook/hook-2/webhook', json, { 'x-github-event': event, 'x-hub-signature-256': signature });
  expect((await call({ ref: 'a' }, 'push', sign({ ref: 'b' })))[0]).toBe(403);
  expect((await call({ zen: 'z' }, 'ping'))[0]).toBe(200);
  expect((await call({ ref: 'a' }, 'push'))[0]).toBe(200);
  const item = {
    body: { ref: 'a' },
    headers: expect.objectContaining({ 'x-github-event': 'push' }),
    query: {},
  };
  expect(await started(workflow)).toEqual([[item]]);
  await server.publishing.unpublish(workflow.id);
  expect(seen.at(-1)).toEqual(['DELETE', '/repos/octo/hello/hooks/42', {}]);
});

it('leave a workflow unpublished that the service refuses', async () => {
  refuses = true;
  const workflow = telegram();
  await expect(server.publish(workflow)).rejects.toThrow(
    'Problem activating workflow: node "Bot": Bad request - please check your parameters: Bad Request: an HTTPS URL must be provided',
  );
  expect(server.publishing.live(workflow.id)).toBeUndefined();
  expect((await server.engine.workflows.get(workflow.id))?.active).toBe(false);
});

it('give a service their address again at a start, if it has lost it', async () => {
  const workflows = [telegram(), github()];
  for (const workflow of workflows) await server.publish(workflow);
  seen = [];
  await server.publishing.renewHooks();
  expect(seen.map(([method]) => method)).toEqual(['GET', 'GET']);
  forgets = true;
  await server.publishing.renewHooks();
  expect(seen.slice(2).map(([method, path]) => [method, path])).toEqual([
    ['GET', '/repos/octo/hello/hooks/42'],
    ['POST', '/repos/octo/hello/hooks'],
    ['GET', '/bot1:a/getWebhookInfo'],
    ['POST', '/bot1:a/setWebhook'],
  ]);
  for (const { id } of workflows) await server.publishing.unpublish(id);
});
