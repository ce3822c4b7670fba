/** Reads events of Slack. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import type { HookAnswer } from '../../node-api/service-hook.ts';
import { commaList } from '../shared/comma-list.ts';
import { scopeOf } from './scope.ts';
import { describeTemplate, sendTo } from './send-template.ts';
import type { ServiceCall } from './service-call.ts';

/** Events that belong to no channel. */
const WITHOUT_CHANNEL = ['team_join', 'app_home_opened'];

/** @param body `{ type: 'event_callback', event }`, or `{ type: 'url_verification', challenge }` */
export async function receiveSlackEvent(call: ServiceCall, body: unknown): Promise<HookAnswer> {
  if (!isObject(body)) return { kind: 'ignored' };
  if (body.type === 'url_verification') return { kind: 'confirmed', json: { challenge: body.challenge } };
  const { event } = body;
  if (!isObject(event) || !(await isWanted(call, event))) return { kind: 'ignored' };
  const resolves = (await call.context.parameter('options.resolveIds', 0, false)) === true;
  return { kind: 'item', json: resolves ? { ...event, ...(await namesOf(call, event)) } : event };
}

async function isWanted({ context }: ServiceCall, event: JsonObject): Promise<boolean> {
  const get = <T>(path: string, fallback: T) => context.parameter<T>(path, 0, fallback);
  const type = String(event.type ?? '');
  const chosen = commaList(await get('trigger', []));
  const isFile = chosen.includes('file_share') && event.subtype === 'file_share';
  if (!chosen.includes('any_event') && !chosen.includes(type) && !isFile) return false;
  if (!WITHOUT_CHANNEL.includes(type) && (await get('watchWorkspace', false)) !== true) {
    const channel = await get<unknown>('channelId', '');
    const id = isObject(channel) ? channel.value : channel;
    const watched = String(id ?? '')
      .split('/')
      .at(-1);
    if (channelOf(event) !== watched) return false;
  }
  const ignored = commaList(await get('options.userIds', []));
  if (ignored.includes(String(event.user ?? getPath(event, 'message.user')))) return false;
  const emojis = commaList(await get('options.reactionEmojis', '')).map((name) => name.toLowerCase());
  const isReaction = type === 'reaction_added' && emojis.length > 0;
  return !isReaction || emojis.includes(String(event.reaction ?? '').toLowerCase());
}

function channelOf(event: JsonObject): unknown {
  return event.channel ?? getPath(event, 'item.channel') ?? event.channel_id;
}

/** The names of the users and of the channel. */
async function namesOf(call: ServiceCall, event: JsonObject): Promise<JsonObject> {
  const { user } = event;
  const ask = async (path: string, query: JsonObject, name: string) => {
    const scope = scopeOf(call, { credential: call.credential });
    const { body } = await sendTo(call, await describeTemplate(call, { path, query }, scope));
    return getPath(body, name);
  };
  const userName = (id: unknown) => ask('/users.info', { user: id }, 'user.name');
  const names: JsonObject = {};
  if (isObject(user)) names.user_resolved = user.name;
  else if (user) names.user_resolved = await userName(user);
  if (event.type === 'reaction_added' && event.item_user)
    names.item_user_resolved = await userName(event.item_user);
  const channel = WITHOUT_CHANNEL.includes(String(event.type)) ? undefined : channelOf(event);
  if (channel) names.channel_resolved = await ask('/conversations.info', { channel }, 'channel.name');
  return names;
}
