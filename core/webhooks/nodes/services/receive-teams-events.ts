/** Reads notifications of Microsoft Graph. */
import { isObject } from '#core/base';
import type { HookAnswer } from '../../node-api/service-hook.ts';
import type { ServiceCall } from './service-call.ts';

/** @param body `{ value: [{ resourceData }] }`. Each notification becomes an item. */
export async function receiveTeamsEvents(_call: ServiceCall, body: unknown): Promise<HookAnswer> {
  const list = isObject(body) && Array.isArray(body.value) ? body.value.filter(isObject) : [];
  const items = list.map((event) => (isObject(event.resourceData) ? event.resourceData : event));
  return items.length === 0 ? { kind: 'ignored' } : { kind: 'items', items };
}
