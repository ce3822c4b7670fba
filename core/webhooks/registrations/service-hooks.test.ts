/** Triggers that other servers call, from publishing to the execution. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JsonObject, Workflow } from '#core/workflow-format';
import { openWebhookServer, type TestWebhooks } from '#test/support/webhooks/webhook-server.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';

const readBody = (text: string): JsonObject =>
  text.startsWith('{') ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));

let server: TestWebhooks;
let seen: [method: string, path: string, body: JsonObject][];
let refuses: boolean;
/** Called before a service answers. */
let onRequest: ((request: [string, string, JsonObject]) => Promise<void>) | undefined;
/** Whether the services have lost what they were given. */
let forgets: boolean;

beforeAll(async () => {
  server = await openWebhookServer({
    fetch: async (request: Request) => {
      const text = await request.text();
      seen.push([request.method, new URL(request.url).pathname, readBody(text)]);
      await onRequest?.(seen.at(-1)!);
      if (refuses) {
        return Response.json(
          { ok: false, description: 'Bad Request: an HTTPS URL must be provided' },
          { status: 400 },
        );
      }
      if (request.url.includes('/getFile'))
        return Response.json({ ok: true, result: { file_path: 'photos/m.jpg' } });
      if (request.url.includes('/file/')) return new Response('the photo');
      if (request.method === 'GET') {
        const url = forgets ? '' : 'http://localhost:5678/webhook/hook-1/webhook';
        return forgets && request.url.includes('/hooks/')
          ? Response.json({ message: 'Not Found' }, { status: 404 })
          : Response.json({ ok: true, result: { url } });
      }
      return request.method === 'DELETE'
        ? new Response(null, { status: 204 })
        : Response.json({ ok: true, id: 42, webhook: { id: 43 } });
    },
  });
  await server.credentials.create('Bot', 'telegramApi', { accessToken: '1:a' });
  await server.credentials.create('Hub', 'githubApi', { accessToken: 'g' });
});
afterAll(() => server.close());
beforeEach(() => {
  seen = [];
  refuses = false;
  onRequest = undefined;
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

it('download the photo of a message', async () => {
  const workflow = telegram({ additionalFields: { download: true, imageSize: 'medium' } });
  await server.publish(workflow);
  const secret = String(seen[0]![2].secret_token);
  const photo = [{ file_id: 's' }, { file_id: 'm' }, { file_id: 'l' }];
  const header = { 'x-telegram-bot-api-secret-token': secret };
  await deliver('/webhook/hook-1/webhook', { message: { chat: { id: 7 }, photo } }, header);
  expect(seen.slice(1)).toEqual([
    ['GET', '/bot1:a/getFile', {}],
    ['GET', '/file/bot1:a/photos/m.jpg', {}],
  ]);
  await server.engine.executions.settle(AbortSignal.timeout(5000));
  const [execution] = await server.engine.executions.list({ workflowId: workflow.id });
  const { runData } = (await server.engine.executions.get(execution!.id))!.detail!.data.resultData;
  expect(runData.Bot![0]!.data!.main![0]![0]!.binary).toMatchObject({
    data: { fileName: 'm.jpg', mimeType: 'image/jpeg', data: btoa('the photo') },
  });
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

const other = (type: string, credential: string, parameters: JsonObject): Workflow => ({
  ...workflowOf(
    {
      T: {
        type,
        webhookId: `hook-${type}`,
        parameters,
        credentials: { [credential]: { id: null, name: credential } },
      },
      End: { type: 'noOp' },
    },
    ['T -> End'],
  ),
  id: type,
});

it('confirm the address to Slack, and read its signed events', async () => {
  await server.credentials.create('slackApi', 'slackApi', { accessToken: 'x', signatureSecret: 's3' });
  const workflow = other('slackTrigger', 'slackApi', {
    trigger: ['message'],
    channelId: { __rl: true, mode: 'url', value: 'https://app.slack.com/client/T1/C1' },
    options: { userIds: ['U9'] },
  });
  await server.publish(workflow);
  const send = (json: JsonObject, { secret = 's3', delay = 0 } = {}) => {
    const time = String(Math.floor(Date.now() / 1000) - delay);
    const digest = createHmac('sha256', secret)
      .update(`v0:${time}:${JSON.stringify(json)}`)
      .digest('hex');
    return deliver('/webhook/hook-slackTrigger/webhook', json, {
      'x-slack-signature': `v0=${digest}`,
      'x-slack-request-timestamp': time,
    });
  };
  const challenge = { type: 'url_verification', challenge: 'c1' };
  expect(await send(challenge)).toEqual([200, { challenge: 'c1' }]);
  expect((await send(challenge, { secret: 'other' }))[0]).toBe(403);
  expect((await send(challenge, { delay: 600 }))[0]).toBe(403);
  const event = (more: JsonObject) => ({
    type: 'event_callback',
    event: { type: 'message', channel: 'C1', user: 'U1', ...more },
  });
  for (const more of [{ channel: 'C2' }, { user: 'U9' }, { type: 'team_join' }])
    expect((await send(event(more)))[0]).toBe(200);
  expect((await send(event({ text: 'Hi' })))[0]).toBe(200);
  expect(await started(workflow)).toEqual([[{ type: 'message', channel: 'C1', user: 'U1', text: 'Hi' }]]);
  await server.publishing.unpublish(workflow.id);
});

it('need a secret of the credential where only the service has one', async () => {
  const { id } = await server.credentials.create('bare', 'slackApi', { accessToken: 'x' });
  const workflow = other('slackTrigger', 'slackApi', { trigger: ['message'], watchWorkspace: true });
  workflow.nodes[0]!.credentials = { slackApi: { id, name: 'bare' } };
  await expect(server.publish(workflow)).rejects.toThrow('the credential has no secret');
});

const SECRET_ADDRESSES: [
  type: string,
  credential: string,
  secrets: JsonObject,
  parameters: JsonObject,
  path: string,
][] = [
  ['stripeTrigger', 'stripeApi', { secretKey: 'k' }, { events: ['charge.failed'] }, '/v1/webhook_endpoints'],
  [
    'shopifyTrigger',
    'shopifyApi',
    { apiKey: 'k', password: 'p', shopSubdomain: 'shop' },
    { authentication: 'apiKey', topic: 'orders/create' },
    '/admin/api/2024-07/webhooks',
  ],
];

it.each(SECRET_ADDRESSES)(
  '%s gives its secret in the address',
  async (type, credential, secrets, parameters, path) => {
    await server.credentials.create(credential, credential, secrets);
    const workflow = other(type, credential, parameters);
    await server.publish(workflow);
    const [method, calledPath, body] = seen[0]!;
    expect([method, calledPath.replace('.json', '')]).toEqual(['POST', path]);
    const address = JSON.stringify(body).match(/[?]secret=([\da-f]+)/)!;
    const url = `/webhook/hook-${type}/webhook`;
    expect((await deliver(url, { a: 1 }, {}))[0]).toBe(403);
    expect((await deliver(`${url}${address[0]}`, { a: 1 }, {}))[0]).toBe(200);
    expect(await started(workflow)).toEqual([[{ a: 1 }]]);
    await server.publishing.unpublish(workflow.id);
    expect(seen.at(-1)!.slice(0, 2)).toEqual(['DELETE', expect.stringMatching(`^${path}/4[23]`)]);
  },
);

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

it('answer the question of WhatsApp while it is published, and make an item of each change', async () => {
  await server.credentials.create('whatsAppTriggerApi', 'whatsAppTriggerApi', {
    clientId: 'app',
    clientSecret: 's4',
  });
  const workflow = other('whatsAppTrigger', 'whatsAppTriggerApi', {
    updates: ['messages'],
    options: { messageStatusUpdates: ['read'] },
  });
  const path = '/webhook/hook-whatsAppTrigger/webhook';
  const challenges: unknown[] = [];
  onRequest = async ([, requested, body]) => {
    if (!requested.endsWith('/subscriptions') || !body.verify_token) return;
    for (const token of [body.verify_token, 'x'])
      challenges.push(await server.exchange('GET', `${path}?hub.challenge=42&hub.verify_token=${token}`));
  };
  await server.publish(workflow);
  expect(challenges).toEqual([
    [200, 42],
    [403, { message: 'Provided secret is not valid' }],
  ]);
  expect(seen[0]).toEqual([
    'POST',
    '/v19.0/oauth/access_token',
    { client_id: 'app', client_secret: 's4', grant_type: 'client_credentials' },
  ]);
  expect(seen[1]).toMatchObject(['POST', '/v19.0/app/subscriptions', { fields: '["messages"]' }]);
  const changes = [
    { field: 'messages', value: { messages: [{ id: 'm' }] } },
    { field: 'messages', value: { statuses: [{ status: 'sent' }] } },
    { field: 'messages', value: { statuses: [{ status: 'read' }] } },
  ];
  const event = { object: 'whatsapp_business_account', entry: [{ changes }] };
  const signature = createHmac('sha256', 's4').update(JSON.stringify(event)).digest('hex');
  const send = (value: string) => deliver(path, event, { 'x-hub-signature-256': value });
  expect((await send('sha256=0'))[0]).toBe(403);
  expect((await send(`sha256=${signature}`))[0]).toBe(200);
  expect(await started(workflow)).toEqual([
    [
      { messages: [{ id: 'm' }], field: 'messages' },
      { statuses: [{ status: 'read' }], field: 'messages' },
    ],
  ]);
  await server.publishing.unpublish(workflow.id);
  expect(seen.at(-1)).toEqual([
    'DELETE',
    '/v19.0/app/subscriptions',
    { object: 'whatsapp_business_account' },
  ]);
});

it('read answers of Typeform by their questions', async () => {
  await server.credentials.create('typeformApi', 'typeformApi', { accessToken: 'tf' });
  const workflow = other('typeformTrigger', 'typeformApi', { formId: 'f1' });
  await server.publish(workflow);
  const [method, path, body] = seen[0]!;
  expect([method, path]).toEqual(['PUT', `/forms/f1/webhooks/tabd-${String(body.secret).slice(0, 10)}`]);
  const event = {
    form_response: {
      definition: {
        fields: [
          { id: 'q1', title: 'Name' },
          { id: 'q2', title: 'Color of {{x}}' },
        ],
      },
      answers: [
        { type: 'text', text: 'Ann', field: { id: 'q1' } },
        { type: 'choice', choice: { label: 'red' }, field: { id: 'q2' } },
      ],
    },
  };
  const digest = createHmac('sha256', String(body.secret)).update(JSON.stringify(event)).digest('base64');
  const send = (value: string) =>
    deliver('/webhook/hook-typeformTrigger/webhook', event, { 'typeform-signature': `sha256=${value}` });
  expect((await send('x'))[0]).toBe(403);
  expect((await send(digest))[0]).toBe(200);
  expect(await started(workflow)).toEqual([[{ Name: 'Ann', 'Color of [x]': 'red' }]]);
  await server.publishing.unpublish(workflow.id);
});

it('check the time and the signature of Calendly in one header', async () => {
  const oauth = { clientId: 'c', clientSecret: 's', oauthTokenData: { access_token: 'ca' } };
  await server.credentials.create('calendlyOAuth2Api', 'calendlyOAuth2Api', oauth as unknown as JsonObject);
  const workflow = { ...other('calendlyTrigger', 'calendlyOAuth2Api', { events: ['invitee.created'] }) };
  workflow.nodes[0]!.typeVersion = 2;
  await server.publish(workflow);
  const hook = seen.find(([, path]) => path === '/webhook_subscriptions')![2];
  expect(hook).toMatchObject({ events: ['invitee.created'], scope: 'user' });
  const send = (delay: number) => {
    const time = Math.floor(Date.now() / 1000) - delay;
    const text = `${time}.${JSON.stringify({ event: 'invitee.created' })}`;
    const digest = createHmac('sha256', String(hook.signing_key)).update(text).digest('hex');
    return deliver(
      '/webhook/hook-calendlyTrigger/webhook',
      { event: 'invitee.created' },
      { 'calendly-webhook-signature': `t=${time},v1=${digest}` },
    );
  };
  expect((await send(3600))[0]).toBe(403);
  expect((await send(0))[0]).toBe(200);
  expect(await started(workflow)).toEqual([[{ event: 'invitee.created' }]]);
  await server.publishing.unpublish(workflow.id);
});
