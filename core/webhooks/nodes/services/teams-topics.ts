/** The resources of Teams that Microsoft Graph is asked to report. */
import { decodePercent, isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import { objectList } from '../shared/object-list.ts';
import { fill } from './fill.ts';
import { scopeOf } from './scope.ts';
import { describeTemplate, sendTo } from './send-template.ts';
import type { ServiceCall } from './service-call.ts';

/** Milliseconds. Graph ends subscriptions to messages after three days at the latest. */
const LIFETIME = 4318 * 60 * 1000;

/** The part of an address that names the team, channel or chat. */
const IN_ADDRESS = {
  teamId: /groupId=([\da-f-]{36})/i,
  channelId: /channel\/([^/?]+)/,
  chatId: /conversations\/([^/?]+)/i,
};

/** Resources of Graph, with the time until which it reports them: `/teams/ID/channels`. */
export async function teamsTopics(call: ServiceCall): Promise<JsonObject[]> {
  const expiresAt = new Date(call.context.now() + LIFETIME).toISOString();
  return (await resourcesOf(call)).map((resource) => ({ resource, expiresAt }));
}

async function resourcesOf(call: ServiceCall): Promise<string[]> {
  const event = await call.context.parameter('event', 0, '');
  const isSet = async (name: string) => (await call.context.parameter(name, 0, false)) === true;
  if (event === 'newChat') return ['/me/chats'];
  if (event === 'newChatMessage')
    return (await isSet('watchAllChats'))
      ? ['/me/chats/getAllMessages']
      : [`/chats/${await chosenId(call, 'chatId')}/messages`];
  const isAll = await isSet('watchAllTeams');
  const teams = isAll ? await idsAt(call, '/me/joinedTeams') : [await chosenId(call, 'teamId')];
  if (event === 'newChannel') return teams.map((team) => `/teams/${team}/channels`);
  if (event === 'newTeamMember') return teams.map((team) => `/teams/${team}/members`);
  if (event !== 'newChannelMessage') throw new NodeError(`Microsoft Teams has no event "${event}"`);
  if (!isAll && !(await isSet('watchAllChannels')))
    return [`/teams/${teams[0]}/channels/${await chosenId(call, 'channelId')}/messages`];
  const channels = await Promise.all(teams.map((team) => idsAt(call, `/teams/${team}/channels`)));
  return teams.flatMap((team, at) =>
    channels[at]!.map((channel) => `/teams/${team}/channels/${channel}/messages`),
  );
}

/** The id that a parameter holds, or the one in its address. */
async function chosenId(call: ServiceCall, name: keyof typeof IN_ADDRESS): Promise<string> {
  const value = String((await fill(`$${name}`, scopeOf(call, {}))) ?? '');
  return decodePercent(IN_ADDRESS[name].exec(value)?.[1] ?? value);
}

async function idsAt(call: ServiceCall, path: string): Promise<string[]> {
  const scope = scopeOf(call, { credential: call.credential });
  const { body } = await sendTo(call, await describeTemplate(call, { path }, scope));
  return objectList(isObject(body) ? body.value : undefined).map(({ id }) => String(id));
}
