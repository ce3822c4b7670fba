/** Reads the node's parameters into the description of a request for one item. */

import { isObject } from '#core/base';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { type ArrayFormat, encodeForm } from '#core/webhooks/outgoing/query.ts';
import type { RequestBody } from '#core/webhooks/outgoing/send.ts';
import type { Item, JsonObject } from '#core/workflow-format';
import { parseJsonParameter } from '../../shared/parse-json.ts';

/** A request in parts, some of which change from page to page. */
export interface RequestDescription {
  method: string;
  url: string;
  query: JsonObject;
  headers: Record<string, string>;
  body: Payload;
  arrays: ArrayFormat;
}

export type Payload =
  | { kind: 'none' }
  | { kind: 'json'; value: unknown }
  | { kind: 'form'; value: JsonObject }
  | { kind: 'text'; value: string; type: string }
  | { kind: 'bytes'; value: Uint8Array<ArrayBuffer>; type: string }
  | { kind: 'multipart'; value: FormData };

interface ParameterPair {
  name?: string;
  value?: unknown;
  parameterType?: string;
  inputDataFieldName?: string;
}

/** @throws NodeError for parameters that do not make a request */
export async function describeRequest(
  context: NodeContext,
  item: Item,
  index: number,
): Promise<RequestDescription> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, index, fallback);
  return {
    method: String(await get('method')).toUpperCase(),
    url: requireUrl(await get<unknown>('url'), index),
    query: (await get('sendQuery')) ? await pairsOrJson(context, index, 'Query', 'queryParameters') : {},
    headers: (await get('sendHeaders'))
      ? toHeaders(await pairsOrJson(context, index, 'Headers', 'headerParameters'))
      : {},
    body: (await get('sendBody')) ? await readPayload(context, item, index) : { kind: 'none' },
    arrays: await get<ArrayFormat>('options.queryParameterArrays', 'repeat'),
  };
}

/** The address without spaces around it. @throws NodeError for anything but an address of http or https */
export function requireUrl(value: unknown, index: number): string {
  if (typeof value !== 'string') {
    throw new NodeError(`URL parameter must be a string, got ${value === null ? 'null' : typeof value}`, {
      itemIndex: index,
    });
  }
  const url = value.trim();
  if (/^https?:\/\/[^/?#]/i.test(url)) return url;
  throw new NodeError(`Invalid URL: ${url}. URL must start with "http" or "https".`, { itemIndex: index });
}

/** An object from pairs of names and values, or from JSON. A name that repeats has a list of values. */
async function pairsOrJson(
  context: NodeContext,
  index: number,
  what: 'Query' | 'Headers' | 'Body',
  pairs: string,
): Promise<JsonObject> {
  if ((await context.parameter(`specify${what}`, index, 'keypair')) === 'json') {
    const value = parseJsonParameter(await context.parameter(`json${what}`, index), ...INVALID_JSON);
    if (!isObject(value))
      throw new NodeError('JSON parameter needs to be a JSON object', { itemIndex: index });
    return value;
  }
  const object: JsonObject = {};
  for (const { name, value } of (await context.parameter<ParameterPair[]>(
    `${pairs}.parameters`,
    index,
    [],
  )) ?? []) {
    if (!name) continue;
    const earlier = Object.hasOwn(object, name) ? object[name] : undefined;
    const values = earlier === undefined ? value : [...(Array.isArray(earlier) ? earlier : [earlier]), value];
    // Use `defineProperty`, because an assignment to `__proto__` would not make a field.
    Object.defineProperty(object, name, {
      value: values,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return object;
}

async function readPayload(context: NodeContext, item: Item, index: number): Promise<Payload> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, index, fallback);
  const contentType = String(await get('contentType'));
  const specifiedBy = await get('specifyBody', 'keypair');
  switch (contentType) {
    case 'json':
      return {
        kind: 'json',
        value:
          specifiedBy === 'json'
            ? parseJsonParameter(await get('jsonBody'), ...INVALID_JSON)
            : await pairsOrJson(context, index, 'Body', 'bodyParameters'),
      };
    case 'form-urlencoded':
      return specifiedBy === 'string'
        ? { kind: 'text', value: String(await get('body', '')), type: 'application/x-www-form-urlencoded' }
        : { kind: 'form', value: await pairsOrJson(context, index, 'Body', 'bodyParameters') };
    case 'multipart-form-data':
      return { kind: 'multipart', value: await readForm(context, item, index) };
    case 'binaryData': {
      const file = context.binary.require(item, String(await get('inputDataFieldName', 'data')), index);
      return { kind: 'bytes', value: await context.binary.bytes(file), type: file.mimeType };
    }
    case 'raw':
      return {
        kind: 'text',
        value: String((await get('body', '')) ?? ''),
        type: String(await get('rawContentType', '')),
      };
    default:
      throw new NodeError(`The body content type "${contentType}" does not exist`);
  }
}

async function readForm(context: NodeContext, item: Item, index: number): Promise<FormData> {
  const form = new FormData();
  for (const pair of (await context.parameter<ParameterPair[]>('bodyParameters.parameters', index, [])) ??
    []) {
    if (!pair.name) continue;
    if (pair.parameterType !== 'formBinaryData') {
      const { value } = pair;
      form.append(pair.name, typeof value === 'object' ? JSON.stringify(value) : String(value ?? ''));
      continue;
    }
    const file = context.binary.require(item, pair.inputDataFieldName ?? 'data', index);
    const blob = new Blob([await context.binary.bytes(file)], { type: file.mimeType });
    form.append(pair.name, blob, file.fileName ?? pair.name);
  }
  return form;
}

/** The body to send, and its content type. The boundary of a form is part of the type: the platform sets it. */
export function encodePayload(body: Payload): { body?: RequestBody; type?: string } {
  switch (body.kind) {
    case 'none':
      return {};
    case 'json':
      return { body: JSON.stringify(body.value ?? null), type: 'application/json' };
    case 'form':
      return { body: encodeForm(body.value), type: 'application/x-www-form-urlencoded' };
    case 'text':
    case 'bytes':
      return { body: body.value, ...(body.type !== '' && { type: body.type }) };
    case 'multipart':
      return { body: body.value };
  }
}

/** The arguments of `parseJsonParameter` after the value. */
const INVALID_JSON = [
  'JSON parameter needs to be valid JSON',
  {
    description: 'Check the quotes: text from an expression needs JSON.stringify() if it contains any.',
  },
] as const;

/** Names in lower case, and lists as one value with commas. */
export function toHeaders(values: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : String(value ?? ''),
    ]),
  );
}
