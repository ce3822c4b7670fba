/** Reads notifications of Microsoft Graph. */
import { isObject } from '#core/base';
import type { HookAnswer } from '../../node-api/service-hook.ts';
import { objectList } from '../shared/object-list.ts';
import type { ServiceCall } from './service-call.ts';

/** @param body `{ value: [{ resourceData }] }`. Each notification becomes an item. */
export async function receiveTeamsEvents(_call: ServiceCall, body: unknown): Promise<HookAnswer> {
  const events = objectList(isObject(body) ? body.value : undefined);
  const items = events.map((event) => (isObject(event.resourceData) ? event.resourceData : event));
  return items.length === 0 ? { kind: 'ignored' } : { kind: 'items', items };
}
