/** Filters of Mailchimp. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { commaList } from '../../shared/comma-list.ts';

/** The server that an API key names at its end. @throws NodeError for a key without one */
export function mailchimpServer(credential: unknown): string {
  const key = isObject(credential) ? credential.apiKey : undefined;
  if (key === undefined) return '';
  const server = /-([a-z]+\d+)$/.exec(String(key))?.[1];
  if (server === undefined) throw new NodeError('The API key is not valid!');
  return `https://${server}.api.mailchimp.com`;
}

/** The groups of a member, by their ids. */
export function mailchimpGroups(value: unknown): JsonObject {
  const list = Array.isArray(value) ? value.filter(isObject) : [];
  return Object.fromEntries(list.map(({ categoryFieldId, value: isIn }) => [String(categoryFieldId), isIn]));
}

export const mailchimpAdded = (value: unknown) => tagsOf(value, 'active');
export const mailchimpRemoved = (value: unknown) => tagsOf(value, 'inactive');

function tagsOf(value: unknown, status: string): JsonObject[] {
  return commaList(value).map((name) => ({ name, status }));
}
