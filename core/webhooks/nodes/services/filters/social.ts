/** Filters of WhatsApp, LinkedIn, X and Hacker News. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { objectList } from '../../shared/object-list.ts';

/** A phone number without the signs that people write between its digits. */
export const phoneDigits = (value: unknown) => String(value).replace(/[-()+]/g, '');

/** A template is chosen as `name|language`. */
export const beforeBar = (value: unknown) => String(value).split('|')[0];
export const afterBar = (value: unknown) => String(value).split('|')[1];

export const whatsAppPhones = (value: unknown) =>
  objectList(value).map(({ whatsapp_user_id: id, ...phone }) => ({ ...phone, ...(id ? { wa_id: id } : {}) }));

/** The values of a message template's placeholders. */
export function whatsAppComponents(value: unknown): JsonObject[] {
  return objectList(value).map((component) => {
    const { type = 'body' } = component;
    if (type === 'button') {
      const { index = 0, sub_type = 'quick_reply', buttonParameters } = component;
      const parameter = isObject(buttonParameters) ? buttonParameters.parameter : undefined;
      return { type, index: String(index), sub_type, parameters: [parameter] };
    }
    const group = type === 'header' ? component.headerParameters : component.bodyParameters;
    const parameters = objectList(isObject(group) ? group.parameter : undefined);
    return { type, parameters: parameters.map(type === 'header' ? headerParameter : bodyParameter) };
  });
}

function bodyParameter(parameter: JsonObject): JsonObject {
  const { type = 'text', code, fallback_value, amount_1000, date_time } = parameter;
  if (type === 'currency')
    return { type, currency: { code, fallback_value, amount_1000: Number(amount_1000) * 1000 } };
  return type === 'date_time' ? { type, date_time: { fallback_value: date_time } } : { type, ...parameter };
}

function headerParameter(parameter: JsonObject): JsonObject {
  const { type = 'text', imageLink } = parameter;
  return type === 'image' ? { type, image: { link: imageLink } } : { type, ...parameter };
}

/** LinkedIn reads some signs as marks of its own. */
export const littleText = (value: unknown) => String(value).replace(/[()*[\]{}<>@|~_]/g, '\\$&');

/** The id in the address of a post of X, or the value as it is. @throws NodeError for another address */
export function postId(value: unknown): string {
  const text = String(value);
  if (!text.includes('/')) return text;
  const id = /^https:\/\/(?:[\w-]+\.)*(?:twitter|x)\.com\/[^/]+\/status\/(\d+)/.exec(text)?.[1];
  if (id === undefined) throw new NodeError(`"${text}" is not the address of a post`);
  return id;
}

export const mediaIds = (value: unknown) => [{ media_id: value }];

/** An article of Hacker News without its comments. */
export function withoutChildren(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { children: _children, ...rest } = value;
  return rest;
}
