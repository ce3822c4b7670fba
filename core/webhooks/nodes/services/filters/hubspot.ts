/** Properties of HubSpot, whose names differ from those of the node's fields. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import names from './hubspot-properties.json' with { type: 'json' };

/** Fields that choose what the answer has, or that other requests need. */
const NO_PROPERTIES = new Set([
  'properties',
  'customPropertiesUi',
  'associatedCompanyId',
  'associatedCompany',
  'associatedVids',
]);
const DATES = new Set(['closeDate', 'latestTrafficSourceDate']);

/** `[{ property, value }]`, as contacts have them. */
export function hubspotContact(value: unknown): JsonObject[] {
  return propertiesOf(value, names.contact).map(([property, entry]) => ({ property, value: entry }));
}

/** `[{ name, value }]`, as companies have them. */
export function hubspotCompany(value: unknown): JsonObject[] {
  return propertiesOf(value, names.company).map(([name, entry]) => ({ name, value: entry }));
}

export function hubspotDeal(value: unknown): JsonObject[] {
  return propertiesOf(value, names.deal).map(([name, entry]) => ({ name, value: entry }));
}

function propertiesOf(value: unknown, table: Record<string, string>): [name: string, value: unknown][] {
  if (!isObject(value)) return [];
  const custom = getPath(value, 'customPropertiesUi.customPropertiesValues');
  const own = Object.entries(value)
    .filter(([key, entry]) => !NO_PROPERTIES.has(key) && entry !== '' && entry !== undefined)
    .map(([key, entry]): [string, unknown] => [
      table[key] ?? key.toLowerCase(),
      DATES.has(key) ? new Date(String(entry)).getTime() : Array.isArray(entry) ? entry.join(';') : entry,
    ]);
  const further = (Array.isArray(custom) ? custom.filter(isObject) : []).map((entry): [string, unknown] => [
    String(nameOf(entry.property)),
    entry.value,
  ]);
  return [...own, ...further];
}

/** A property's name, or one that was chosen from a list. */
function nameOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  return value.value ?? value.name;
}

/** The groups of conditions of a search. */
export function hubspotFilters(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value.filter(isObject) : []).map((group) => {
    const filters = getPath(group, 'filtersUi.filterValues');
    return {
      filters: (Array.isArray(filters) ? filters.filter(isObject) : []).map((filter) => ({
        propertyName: String(nameOf(filter.propertyName) ?? '').split('|')[0],
        operator: filter.operator ?? 'EQ',
        ...(filter.value !== undefined && filter.value !== '' && { value: filter.value }),
      })),
    };
  });
}

/** The ids of contacts: a text with commas, or a list. */
export function hubspotIds(value: unknown): number[] {
  const list = Array.isArray(value) ? value : String(value).split(',');
  return list.map(Number).filter((id) => !Number.isNaN(id));
}

/** `{ name: value }` -> `[{ name, value }]` */
export function hubspotProperties(value: unknown): JsonObject[] {
  return Object.entries(isObject(value) ? value : {}).map(([name, content]) => ({ name, value: content }));
}

/** @param value `{ from, to, definition }`: the ids, and the kind of link between them */
export function hubspotLinks(value: unknown): JsonObject[] {
  const { from, to, definition } = isObject(value) ? value : {};
  return (Array.isArray(to) ? to : [to]).map((id) => ({
    fromObjectId: from,
    toObjectId: id,
    category: 'HUBSPOT_DEFINED',
    definitionId: definition,
  }));
}
