/** The trigger of Microsoft Teams, which asks Graph to report several things. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JsonObject, Workflow } from '#core/workflow-format';
import { openWebhookServer, type TestWebhooks } from '#test/support/webhooks/webhook-server.ts';
import { workflowOf } from '#test/support/webhooks/workflow-builder.ts';

const PATH = '/webhook/teams/webhook';
const LISTS: Record<string, string[]> = {
  '/v1.0/me/joinedTeams': ['t1', 't2'],
  '/v1.0/teams/t1/channels': ['c1', 'c2'],
  '/v1.0/teams/t2/channels': ['c3'],
};

let server: TestWebhooks;
/** The subscriptions of Graph, by id. */
let subscriptions: Map<string, JsonObject>;
let created = 0;
let refused: string | undefined;

beforeAll(async () => {
  server = await openWebhookServer({
    async fetch(request: Request) {
      const { origin, pathname } = new URL(request.url);
      if (origin !== 'https://graph.microsoft.com') throw new Error(`no request to ${origin} was expected`);
      const ids = LISTS[pathname];
      if (ids) return Response.json({ value: ids.map((id) => ({ id })) });
      const id = pathname.split('/').at(-1)!;
      if (request.method === 'POST') return subscribe((await request.json()) as JsonObject);
      const isKnown = request.method === 'DELETE' ? subscriptions.delete(id) : subscriptions.has(id);
      return isKnown ? new Response(null, { status: 204 }) : Response.json({}, { status: 404 });
    },
  });
  const oauth = { clientId: 'c', clientSecret: 's', oauthTokenData: { access_token: 'at' } };
  await server.credentials.create('Teams', 'microsoftTeamsOAuth2Api', oauth as unknown as JsonObject);
});
afterAll(() => server.close());
beforeEach(() => {
  subscriptions = new Map();
  refused = undefined;
});

/** Graph asks the address for a word before it takes a subscription. */
async function subscribe(body: JsonObject): Promise<Response> {
  if (body.resource === refused) return Response.json({ error: { message: 'no' } }, { status: 403 });
  const { search } = new URL(String(body.notificationUrl));
  const answer = await server.exchange('POST', `${PATH}${search}&validationToken=word`);
  expect(answer).toEqual([200, 'word']);
  const id = `s${++created}`;
  subscriptions.set(id, body);
  return Response.json({ id }, { status: 201 });
}

const teams = (parameters: JsonObject): Workflow =>
  workflowOf(
    {
      Teams: {
        type: 'microsoftTeamsTrigger',
        webhookId: 'teams',
        parameters,
        credentials: { microsoftTeamsOAuth2Api: { id: null, name: 'Teams' } },
      },
      End: { type: 'noOp' },
    },
    ['Teams -> End'],
  );

const resources = () => [...subscriptions.values()].map(({ resource }) => resource);
const locator = (value: string) => ({ __rl: true, mode: 'url', value });
const team = locator(
  'https://teams.microsoft.com/l/team/19%3Ax?groupId=61165b04-e4cc-4026-b43f-926b4e2a7182',
);

it.each<[JsonObject, string[]]>([
  [{ event: 'newChat' }, ['/me/chats']],
  [{ event: 'newChatMessage', watchAllChats: true }, ['/me/chats/getAllMessages']],
  [
    { event: 'newChatMessage', chatId: locator('https://teams.microsoft.com/_#/conversations/19:a?x=1') },
    ['/chats/19:a/messages'],
  ],
  [{ event: 'newTeamMember', teamId: team }, ['/teams/61165b04-e4cc-4026-b43f-926b4e2a7182/members']],
  [{ event: 'newChannel', watchAllTeams: true }, ['/teams/t1/channels', '/teams/t2/channels']],
  [
    { teamId: locator('t1'), channelId: locator('https://teams.microsoft.com/l/channel/19%3Ac/General') },
    ['/teams/t1/channels/19:c/messages'],
  ],
  [
    { teamId: locator('t1'), watchAllChannels: true },
    ['/teams/t1/channels/c1/messages', '/teams/t1/channels/c2/messages'],
  ],
  [
    { watchAllTeams: true },
    ['/teams/t1/channels/c1/messages', '/teams/t1/channels/c2/messages', '/teams/t2/channels/c3/messages'],
  ],
])('%j is reported while the workflow is published', async (parameters, expected) => {
  const workflow = teams(parameters);
  await server.publish(workflow);
  expect(resources()).toEqual(expected);
  const [body] = [...subscriptions.values()];
  const minutes = (Date.parse(String(body!.expirationDateTime)) - Date.now()) / 60_000;
  expect(Math.round(minutes)).toBe(4318);
  await server.publishing.unpublish(workflow.id);
  expect(subscriptions.size).toBe(0);
});

it('starts the workflow with an item for each notification that knows the secret', async () => {
  const workflow = teams({ event: 'newChat' });
  await server.publish(workflow);
  const { search } = new URL(String([...subscriptions.values()][0]!.notificationUrl));
  const json = { value: [{ resourceData: { id: 'a' } }, { changeType: 'created' }] };
  expect((await server.exchange('POST', PATH, { json }))[0]).toBe(403);
  expect((await server.exchange('POST', `${PATH}?secret=x&validationToken=word`))[0]).toBe(403);
  expect((await server.exchange('POST', `${PATH}${search}`, { json }))[0]).toBe(200);
  const { executions } = server.engine;
  await executions.settle(AbortSignal.timeout(5000));
  const [execution] = await executions.list({ workflowId: workflow.id });
  const { runData } = (await executions.get(execution!.id))!.detail!.data.resultData;
  expect(runData.Teams![0]!.data!.main![0]!.map((item) => item.json)).toEqual([
    { id: 'a' },
    { changeType: 'created' },
  ]);
  await server.publishing.unpublish(workflow.id);
});

it('takes everything back when Graph refuses a part', async () => {
  refused = '/teams/t2/channels';
  await expect(server.publish(teams({ event: 'newChannel', watchAllTeams: true }))).rejects.toThrow();
  expect(subscriptions.size).toBe(0);
});

it('is registered again as a whole after a part has ended, and forgets what has ended already', async () => {
  const workflow = teams({ event: 'newChannel', watchAllTeams: true });
  await server.publish(workflow);
  subscriptions.delete([...subscriptions.keys()][1]!);
  await server.publishing.renewHooks();
  expect(resources()).toEqual(['/teams/t1/channels', '/teams/t2/channels']);
  subscriptions.clear();
  await server.publishing.unpublish(workflow.id);
  expect(server.publishing.live(workflow.id)).toBeUndefined();
});
