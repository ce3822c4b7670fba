/** The trigger of HubSpot, which has one address for several events. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JsonObject, Workflow } from '#core/workflow-format';
import { openWebhookServer, type TestWebhooks } from '#test/support/webhooks/webhook-server.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';

const PATH = '/webhook/hub/webhook';

let server: TestWebhooks;
let seen: [request: string, body: unknown][];
let created = 0;
let refused: string | undefined;

beforeAll(async () => {
  server = await openWebhookServer({
    async fetch(request: Request) {
      const { host, pathname, searchParams } = new URL(request.url);
      expect([host, searchParams.get('hapikey')]).toEqual(['api.hubapi.com', 'key']);
      const text = await request.text();
      const body: JsonObject = text === '' ? {} : JSON.parse(text);
      seen.push([`${request.method} ${pathname}`, body]);
      if (body.eventType === refused) return Response.json({ message: 'no such event' }, { status: 400 });
      return request.method === 'DELETE'
        ? new Response(null, { status: 204 })
        : Response.json({ id: ++created });
    },
  });
  const oauth = { appId: '7', apiKey: 'key', clientId: 'c', clientSecret: 's' };
  await server.credentials.create('Hub', 'hubspotDeveloperApi', oauth);
});
afterAll(() => server.close());
beforeEach(() => {
  seen = [];
  created = 0;
  refused = 'none';
});

const hubspot = (eventValues: JsonObject[], more: JsonObject = {}): Workflow =>
  workflowOf(
    {
      Hub: {
        type: 'hubspotTrigger',
        webhookId: 'hub',
        parameters: { eventsUi: { eventValues }, ...more },
        credentials: { hubspotDeveloperApi: { id: null, name: 'Hub' } },
      },
      End: { type: 'noOp' },
    },
    ['Hub -> End'],
  );

it('asks for each event, and takes the address back', async () => {
  const events = [{ name: 'contact.creation' }, { name: 'deal.propertyChange', property: 'amount' }];
  const workflow = hubspot(events, { additionalFields: { maxConcurrentRequests: 9 } });
  await server.publish(workflow);
  const targetUrl = `http://localhost:5678${PATH}`;
  expect(seen).toEqual([
    ['PUT /webhooks/v3/7/settings', { targetUrl, maxConcurrentRequests: 9 }],
    ['POST /webhooks/v3/7/subscriptions', { eventType: 'contact.creation', active: true }],
    [
      'POST /webhooks/v3/7/subscriptions',
      { eventType: 'deal.propertyChange', propertyName: 'amount', active: true },
    ],
  ]);
  await server.publishing.unpublish(workflow.id);
  expect(seen.slice(3).map(([request]) => request)).toEqual([
    'DELETE /webhooks/v3/7/subscriptions/2',
    'DELETE /webhooks/v3/7/subscriptions/3',
    'DELETE /webhooks/v3/7/settings',
  ]);
});

it('makes an item of each event that HubSpot signed', async () => {
  const workflow = hubspot([{ name: 'contact.creation' }]);
  await server.publish(workflow);
  const json = [
    { subscriptionType: 'contact.creation', objectId: 1 },
    { subscriptionType: 'conversation.creation', objectId: 2 },
  ] as unknown as JsonObject;
  const send = (secret: string) => {
    const signature = createHash('sha256')
      .update(secret + JSON.stringify(json))
      .digest('hex');
    return server.exchange('POST', PATH, { json, headers: { 'x-hubspot-signature': signature } });
  };
  expect((await send('other'))[0]).toBe(403);
  expect((await send('s'))[0]).toBe(200);
  const { executions } = server.engine;
  await executions.settle(AbortSignal.timeout(5000));
  const [execution] = await executions.list({ workflowId: workflow.id });
  const { runData } = (await executions.get(execution!.id))!.detail!.data.resultData;
  expect(runData.Hub![0]!.data!.main![0]!.map((item) => item.json)).toEqual([
    { subscriptionType: 'contact.creation', contactId: 1 },
    { subscriptionType: 'conversation.creation' },
  ]);
  await server.publishing.unpublish(workflow.id);
});

it('is not published without an event, or with one that HubSpot refuses', async () => {
  await expect(server.publish(hubspot([]))).rejects.toThrow('You must define at least one event');
  expect(seen).toEqual([]);
  refused = 'deal.creation';
  const events = [{ name: 'contact.creation' }, { name: 'deal.creation' }];
  await expect(server.publish(hubspot(events))).rejects.toThrow('no such event');
  expect(seen.slice(3).map(([request]) => request)).toEqual([
    'DELETE /webhooks/v3/7/subscriptions/2',
    'DELETE /webhooks/v3/7/settings',
  ]);
});
