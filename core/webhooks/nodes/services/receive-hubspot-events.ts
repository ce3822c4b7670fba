/** Reads events of HubSpot. */
import type { HookAnswer } from '../../node-api/service-hook.ts';
import { objectList } from '../shared/object-list.ts';
import type { ServiceCall } from './service-call.ts';

const OBJECTS = ['contact', 'company', 'deal'];

/** @param body a list of events. Each becomes an item, with `contactId` and so on in place of `objectId` */
export async function receiveHubspotEvents(_call: ServiceCall, body: unknown): Promise<HookAnswer> {
  const items = objectList(body).map(({ objectId, ...event }) => {
    const object = OBJECTS.find((name) => String(event.subscriptionType).includes(name));
    return { ...event, ...(object && objectId !== undefined && { [`${object}Id`]: objectId }) };
  });
  return items.length === 0 ? { kind: 'ignored' } : { kind: 'items', items };
}
