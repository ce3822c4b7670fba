/** Reads events of WhatsApp and of other services of Meta. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { HookAnswer } from '../../node-api/service-hook.ts';
import { objectList } from '../shared/object-list.ts';
import type { ServiceCall } from './service-call.ts';

/** @param body `{ object, entry: [{ changes: [{ field, value }] }] }`. Each change becomes an item. */
export async function receiveMetaEvents(call: ServiceCall, body: unknown): Promise<HookAnswer> {
  if (!isObject(body) || body.object !== 'whatsapp_business_account') return { kind: 'ignored' };
  const events = objectList(body.entry)
    .flatMap(({ changes }) => objectList(changes))
    .map(({ value, field }) => ({ ...(isObject(value) && value), field }));
  const states = await call.context.parameter<unknown>('options.messageStatusUpdates', 0, undefined);
  const items = events.filter((event) => isWanted(event, states));
  return items.length === 0 ? { kind: 'ignored' } : { kind: 'items', items };
}

/** @param states those of messages that start the workflow; without a list all of them do */
function isWanted({ statuses }: JsonObject, states: unknown): boolean {
  if (!Array.isArray(states) || states.includes('all') || !statuses) return true;
  return objectList(statuses).some(({ status }) => states.includes(status));
}
