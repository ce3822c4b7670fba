/** The events that HubSpot is asked to report. */
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import { objectList } from '../shared/object-list.ts';
import type { ServiceCall } from './service-call.ts';

export async function hubspotTopics({ context }: ServiceCall): Promise<JsonObject[]> {
  const events = objectList(await context.parameter<unknown>('eventsUi.eventValues', 0, []));
  if (events.length === 0) throw new NodeError('You must define at least one event');
  return events.map(({ name, property }) => {
    const eventType = String(name ?? 'contact.creation');
    const isChange = eventType.endsWith('.propertyChange');
    return { eventType, ...(isChange && { propertyName: String(property ?? '') }) };
  });
}
