/** Contacts of Google. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { commaList } from '../../shared/comma-list.ts';

/** Lists that the simple form groups by their types. */
const GROUPED = ['emailAddresses', 'phoneNumbers', 'relations', 'events', 'addresses'];

/** The contact with its id. @param value `{ person, isRaw }`; without `isRaw` in a simple form */
export function googleContact(value: unknown): JsonObject {
  const { person, isRaw } = isObject(value) ? value : {};
  const fields = isObject(person) ? person : {};
  const contact =
    isRaw === true
      ? fields
      : Object.fromEntries(
          Object.entries(fields)
            .filter(([name]) => name !== 'metadata')
            .map(([name, part]) => [name, simplePart(name, part)]),
        );
  return { ...contact, contactId: String(fields.resourceName ?? '').split('/')[1] };
}

function simplePart(name: string, part: unknown): unknown {
  if (!Array.isArray(part)) return part;
  const list = part.filter(isObject);
  if (name === 'photos') return list.map(({ url }) => url);
  if (name === 'names') return withoutSource(list[0] ?? {});
  if (name === 'memberships') return list.map(sourceId);
  if (name === 'birthdays') return dayOf(list[0]?.date);
  if (['userDefined', 'organizations', 'biographies'].includes(name)) return list.map(withoutSource);
  if (!GROUPED.includes(name)) return part;
  const groups = new Map<string, unknown[]>();
  for (const entry of list) {
    const type = String(entry.type);
    groups.set(type, [...(groups.get(type) ?? []), simpleEntry(name, entry)]);
  }
  return Object.fromEntries(groups);
}

function simpleEntry(name: string, entry: JsonObject): unknown {
  if (name === 'relations') return entry.person;
  if (name === 'events') return dayOf(entry.date);
  if (name !== 'addresses') return entry.value;
  const { type: _type, ...address } = withoutSource(entry);
  return address;
}

function withoutSource({ metadata: _metadata, ...rest }: JsonObject): JsonObject {
  return rest;
}

function sourceId({ metadata }: JsonObject): unknown {
  const source = isObject(metadata) ? metadata.source : undefined;
  return isObject(source) ? source.id : undefined;
}

function dayOf(date: unknown): string | undefined {
  return isObject(date) ? `${date.month}/${date.day}/${date.year}` : undefined;
}

export const contactBirthday = (value: unknown) => [{ date: dateParts(value) }];
export const contactText = (value: unknown) => [{ value, contentType: 'TEXT_PLAIN' }];

export function contactEvents(value: unknown): JsonObject[] {
  const list = Array.isArray(value) ? value.filter(isObject) : [];
  return list.map(({ date, type }) => ({ date: dateParts(date), type }));
}

export function contactGroups(value: unknown): JsonObject[] {
  return commaList(value).map((name) => ({ contactGroupMembership: { contactGroupResourceName: name } }));
}

/** The names of the parts that a change has. */
export function contactParts(value: unknown): string {
  return Object.keys(isObject(value) ? value : {})
    .filter((name) => name !== 'etag')
    .join(',');
}

/** The day as it is written, whatever the time zone. @throws NodeError for another text */
function dateParts(value: unknown): JsonObject {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(String(value)) ?? [];
  if (day === undefined) throw new NodeError(`"${String(value)}" is not a date`);
  return { day, month, year };
}
