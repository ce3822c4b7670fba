/** Addresses, attributes and parameters of Brevo. */
import type { JsonObject } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';
import { objectList } from '../../shared/object-list.ts';

/** `Al <al@b.org>` or `al@b.org`, as Brevo takes it. */
export function mailAddress(value: unknown): JsonObject {
  const text = String(value).trim();
  const [, name = '', email] = /^(.*?)\s*<([^<>]+)>$/.exec(text) ?? [];
  if (email === undefined) return { email: text };
  return { ...(name !== '' && { name: name.replace(/^"|"$/g, '') }), email };
}

export const mailAddresses = (value: unknown) => commaList(value).map(mailAddress);

/** Fields with their values, from rows `{ fieldName, fieldValue }`. */
export const namedFields = (value: unknown) =>
  Object.fromEntries(objectList(value).map(({ fieldName, fieldValue }) => [String(fieldName), fieldValue]));

/** `NAME=value, OTHER=value` */
export const brevoParameters = (value: unknown) =>
  Object.fromEntries(
    commaList(value).map((pair) => {
      const at = pair.indexOf('=');
      return at < 0 ? [pair, ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );

/** The values of an attribute with categories. */
export const brevoEnumeration = (value: unknown) =>
  objectList(value).map(({ attributeCategoryValue, attributeCategoryLabel }) => ({
    value: attributeCategoryValue,
    label: attributeCategoryLabel,
  }));
