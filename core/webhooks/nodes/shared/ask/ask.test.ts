/** Nodes that ask a person, and the answers that arrive by address. */
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { openWebhookServer, type TestWebhooks, webhookNode } from '#test/support/webhooks/webhook-server.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';

interface Sent {
  url: string;
  body: JsonObject;
}

/** A server over services that accept everything, with one asking node whose workflow has been called. */
async function serverWithQuestion(
  node: { type: string } & JsonObject,
  credential: [type: string, data: JsonObject],
) {
  const sent: Sent[] = [];
  const server = await openWebhookServer({
    fetch: async (request) => {
      sent.push({ url: request.url, body: (await request.json().catch(() => ({}))) as JsonObject });
      return Response.json({ ok: true, result: {} });
    },
  });
  onTestFinished(() => server.close());
  const { id } = await server.credentials.create('c', ...credential);
  const nodes = {
    Hook: webhookNode('start', { responseMode: 'onReceived' }),
    Ask: { ...node, credentials: { [credential[0]]: { id, name: 'c' } } },
    After: { type: 'noOp' },
  };
  await server.publish(workflowOf(nodes, ['Hook -> Ask', 'Ask -> After']));
  await server.call('POST', '/webhook/start');
  await expect.poll(async () => (await summary(server)).status).toMatch(/waiting|success/);
  return { server, sent };
}

const summary = async (server: TestWebhooks) => (await server.engine.executions.list())[0]!;

async function output(server: TestWebhooks): Promise<unknown> {
  await expect.poll(async () => (await summary(server)).status).toBe('success');
  const found = await server.engine.executions.get((await summary(server)).id);
  const [run] = found?.detail?.data.resultData.runData.After ?? [];
  return run?.data?.main?.[0]?.map(({ json }) => json);
}

const pathOf = (address: string) => {
  const { pathname, search } = new URL(address);
  return pathname + search;
};
const telegram = (parameters: JsonObject) => ({
  type: 'telegram',
  typeVersion: 1.2,
  parameters: { operation: 'sendAndWait', chatId: '7', message: 'Good?', ...parameters },
});
const telegramLogin: [string, JsonObject] = ['telegramApi', { accessToken: '1:a' }];
const keyboard = ({ body }: Sent) =>
  (body.reply_markup as { inline_keyboard: { text: string; url: string }[][] }).inline_keyboard[0]!;

it.each([
  [0, false],
  [1, true],
])('Telegram: button %i answers %s, and only once', async (button, approved) => {
  const approvalOptions = { values: { approvalType: 'double', approveLabel: 'Yes' } };
  const { server, sent } = await serverWithQuestion(telegram({ approvalOptions }), telegramLogin);
  expect(sent).toMatchObject([
    { url: 'https://api.telegram.org/bot1:a/sendMessage', body: { chat_id: '7', text: 'Good?' } },
  ]);
  expect(keyboard(sent[0]!).map(({ text }) => text)).toEqual(['Decline', 'Yes']);
  const path = pathOf(keyboard(sent[0]!)[button]!.url);
  const response = await server.call('GET', path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await response.text()).toContain('Got it, thanks');
  expect(await output(server)).toEqual([{ data: { approved } }]);
  expect((await server.exchange('GET', path))[0]).toBe(409);
});

it('takes no answer of a preview, of a forged address, or by another method', async () => {
  const { server, sent } = await serverWithQuestion(telegram({}), telegramLogin);
  const path = pathOf(keyboard(sent[0]!)[0]!.url);
  const bot = { headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' } };
  expect((await server.exchange('GET', path, bot))[0]).toBe(200);
  expect((await server.exchange('HEAD', path))[0]).toBe(200);
  expect((await server.exchange('POST', path))[0]).toBe(404);
  expect((await server.exchange('GET', path.replace(/signature=[^&]+/, 'signature=0')))[0]).toBe(401);
  // The address of another node, which asked earlier.
  expect((await server.exchange('GET', path.replace(/\/[^/]+\?/, '/other?')))[0]).toBe(404);
  expect((await summary(server)).status).toBe('waiting');
});

it('continues without an answer when the time has passed', async () => {
  const limitWaitTime = { values: { resumeAmount: 0.0001, resumeUnit: 'minutes' } };
  const { server } = await serverWithQuestion(telegram({ options: { limitWaitTime } }), telegramLogin);
  expect(await output(server)).toMatchObject([{ body: {} }]);
});

it.each([
  ['freeText', {}, { 'field-0': 'Make it red' }, { text: 'Make it red' }],
  [
    'customForm',
    { formFields: { values: [{ fieldLabel: 'Colour' }, { fieldLabel: 'Size', fieldType: 'number' }] } },
    { 'field-0': 'red', 'field-1': '5' },
    { Colour: 'red', Size: 5 },
  ],
  [
    'customForm',
    { defineForm: 'json', jsonOutput: '[{ "fieldLabel": "Colour" }]' },
    { 'field-0': 'red' },
    { Colour: 'red' },
  ],
])('asks by a form: %s %j', async (responseType, more, values, data) => {
  const options = { messageButtonLabel: 'Reply', responseFormTitle: 'Your opinion' };
  const { server, sent } = await serverWithQuestion(
    telegram({ responseType, options, ...more }),
    telegramLogin,
  );
  const [button] = keyboard(sent[0]!);
  expect(button!.text).toBe('Reply');
  const path = pathOf(button!.url);
  const html = (await server.exchange('GET', path))[1];
  expect(html).toMatch(/Your opinion[\s\S]*Good\?/);
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.append(name, value);
  expect(await server.exchange('POST', path, { body: form })).toEqual([200, { status: 200 }]);
  expect(await output(server)).toEqual([{ data }]);
});

const button = { label: 'Approve', url: expect.stringContaining('approved=true') };

it.each<[string, JsonObject, [string, JsonObject], string, JsonObject]>([
  [
    'slack',
    { typeVersion: 2.3, parameters: { select: 'channel', channelId: 'C1' } },
    ['slackApi', { accessToken: 't' }],
    'https://slack.com/api/chat.postMessage',
    {
      channel: 'C1',
      blocks: expect.arrayContaining([
        { type: 'section', text: { type: 'mrkdwn', text: 'Good?' } },
        {
          type: 'actions',
          elements: [
            {
              type: 'button',
              style: 'primary',
              text: { type: 'plain_text', text: 'Approve', emoji: true },
              url: button.url,
            },
          ],
        },
      ]),
    },
  ],
  [
    'discord',
    { typeVersion: 2, parameters: { resource: 'message', guildId: '1', channelId: '2' } },
    ['discordBotApi', { botToken: 't' }],
    'https://discord.com/api/v10/channels/2/messages',
    {
      embeds: [{ description: 'Good?', color: 5814783 }],
      components: [{ type: 1, components: [{ type: 2, style: 5, ...button }] }],
    },
  ],
  [
    'whatsApp',
    { typeVersion: 1, parameters: { phoneNumberId: '1', recipientPhoneNumber: '+492' } },
    ['whatsAppApi', { accessToken: 't' }],
    expect.stringContaining('/1/messages'),
    { type: 'text', to: '492', text: { body: expect.stringMatching(/^Good\?\n\n\*Approve:\*\n_http/) } },
  ],
])('%s', async (type, { parameters, ...node }, credential, url, body) => {
  const own = { operation: 'sendAndWait', message: 'Good?', ...(parameters as JsonObject) };
  const { sent } = await serverWithQuestion({ type, ...node, parameters: own }, credential);
  expect(sent).toMatchObject([{ url, body }]);
});

it('sends no HTML of the message', async () => {
  const parameters = { operation: 'sendAndWait', sendTo: 'a@b.org', subject: 'S', message: '<b>Good?</b>' };
  const login = { oauthTokenData: { access_token: 't', expires_at: Date.now() + 3_600_000 } };
  const node = { type: 'gmail', typeVersion: 2.1, parameters };
  const { sent } = await serverWithQuestion(node, ['gmailOAuth2', login]);
  const mail = atob(String(sent.at(-1)!.body.raw).replace(/-/g, '+').replace(/_/g, '/'));
  const html = atob(mail.split('\r\n\r\n')[1]!.replace(/\r\n/g, ''));
  expect(mail).toContain('To: a@b.org');
  expect(html).toContain('&#60;b&#62;Good?');
  expect(html).toMatch(/href="http[^"]*approved=true"/);
});
