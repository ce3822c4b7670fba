import { expect, it, onTestFinished } from 'vitest';
import { aiWorkflow } from '#test/support/webhooks/ai-workflow.ts';
import { openWebhookServer } from '#test/support/webhooks/webhook-server.ts';

const TYPE = '@n8n/n8n-nodes-langchain.chatTrigger';

/** A chat that answers with what it is asked. */
async function openChat(parameters: object) {
  const server = await openWebhookServer();
  onTestFinished(() => server.close());
  const workflow = aiWorkflow({
    Answer: {
      type: 'n8n-nodes-base.code',
      version: 2,
      parameters: {
        jsCode: 'return [{ json: { output: $json.chatInput.toUpperCase(), files: $json.files } }];',
      },
    },
  });
  workflow.nodes[0] = {
    ...workflow.nodes[0]!,
    type: TYPE,
    typeVersion: 1.3,
    webhookId: 'c1',
    parameters: { ...parameters },
  };
  await server.publish(workflow);
  return server;
}

it('has a page, and answers messages with the last node', async () => {
  const { call, exchange } = await openChat({ public: true, initialMessages: '<Hello>' });
  const page = await call('GET', '/webhook/c1/chat');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await page.text();
  expect(html).toContain('<title>Chat</title>');
  expect(html).not.toContain('<Hello>');
  const message = { action: 'sendMessage', sessionId: 's', chatInput: 'hi' };
  expect(await exchange('POST', '/webhook/c1/chat', { json: message })).toEqual([200, { output: 'HI' }]);
  const earlier = { action: 'loadPreviousSession', sessionId: 's' };
  expect(await exchange('POST', '/webhook/c1/chat', { json: earlier })).toEqual([200, { data: [] }]);
});

it('lists the files of a message', async () => {
  const { exchange } = await openChat({ public: true });
  const body = new FormData();
  body.append('chatInput', 'x');
  body.append('files', new File(['abc'], 'a.txt', { type: 'text/plain' }));
  expect(await exchange('POST', '/webhook/c1/chat', { body })).toMatchObject([
    200,
    { files: [{ fileName: 'a.txt', mimeType: 'text/plain', binaryKey: 'data0' }] },
  ]);
});

it('has no address if it is not public', async () => {
  const { call } = await openChat({ public: false });
  expect((await call('GET', '/webhook/c1/chat')).status).toBe(404);
});

it('asks for the credential', async () => {
  const { call } = await openChat({ public: true, authentication: 'none' });
  expect((await call('GET', '/webhook/c1/chat')).status).toBe(200);
  const server = await openWebhookServer();
  onTestFinished(() => server.close());
  const { id } = await server.credentials.create('b', 'httpBasicAuth', { user: 'u', password: 'p' });
  const workflow = aiWorkflow({ Answer: { type: 'n8n-nodes-base.noOp' } });
  workflow.nodes[0] = {
    ...workflow.nodes[0]!,
    type: TYPE,
    typeVersion: 1.3,
    webhookId: 'c1',
    parameters: { public: true, authentication: 'basicAuth' },
    credentials: { httpBasicAuth: { id, name: 'b' } },
  };
  await server.publish(workflow);
  expect((await server.call('GET', '/webhook/c1/chat')).status).toBe(401);
  const headers = { authorization: `Basic ${btoa('u:p')}` };
  expect((await server.call('GET', '/webhook/c1/chat', { headers })).status).toBe(200);
});
