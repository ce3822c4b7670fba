/** The request that the node's parameters describe, for one item. */

import { isObject } from '#core/base';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { type ArrayFormat, formText } from '#core/webhooks/outgoing/query.ts';
import type { RequestBody } from '#core/webhooks/outgoing/send.ts';
import type { Item, JsonObject } from '#core/workflow-format';

/** In parts: a next page changes some of them. */
export interface Described {
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

interface Pair {
  name?: string;
  value?: unknown;
  parameterType?: string;
  inputDataFieldName?: string;
}

export async function describeRequest(context: NodeContext, item: Item, index: number): Promise<Described> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, index, fallback);
  const given = await get<unknown>('url');
  if (typeof given !== 'string') {
    throw new NodeError(`URL parameter must be a string, got ${given === null ? 'null' : typeof given}`, {
      itemIndex: index,
    });
  }
  const url = given.trim();
  if (!/^https?:\/\/[^/?#]/i.test(url)) {
    throw new NodeError(`Invalid URL: ${url}. URL must start with "http" or "https".`, { itemIndex: index });
  }
  return {
    method: String(await get('method')).toUpperCase(),
    url,
    query: (await get('sendQuery')) ? await pairsOrJson(context, index, 'Query', 'queryParameters') : {},
    headers: (await get('sendHeaders'))
      ? texts(await pairsOrJson(context, index, 'Headers', 'headerParameters'))
      : {},
    body: (await get('sendBody')) ? await payloadOf(context, item, index) : { kind: 'none' },
    arrays: await get<ArrayFormat>('options.queryParameterArrays', 'repeat'),
  };
}

/** Name and value pairs, or an object given as JSON. */
async function pairsOrJson(
  context: NodeContext,
  index: number,
  what: 'Query' | 'Headers' | 'Body',
  pairs: string,
): Promise<JsonObject> {
  if ((await context.parameter(`specify${what}`, index, 'keypair')) === 'json') {
    const value = json(await context.parameter(`json${what}`, index));
    if (!isObject(value))
      throw new NodeError('JSON parameter needs to be a JSON object', { itemIndex: index });
    return value;
  }
  const made: JsonObject = {};
  for (const { name, value } of (await context.parameter<Pair[]>(`${pairs}.parameters`, index, [])) ?? []) {
    if (!name) continue;
    const before = Object.hasOwn(made, name) ? made[name] : undefined;
    const next = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
    Object.defineProperty(made, name, { value: next, enumerable: true, writable: true, configurable: true });
  }
  return made;
}

async function payloadOf(context: NodeContext, item: Item, index: number): Promise<Payload> {
  const get = <T>(path: string, fallback?: T) => context.parameter(path, index, fallback);
  const contentType = String(await get('contentType'));
  const specified = await get('specifyBody', 'keypair');
  switch (contentType) {
    case 'json':
      return {
        kind: 'json',
        value:
          specified === 'json'
            ? json(await get('jsonBody'))
            : await pairsOrJson(context, index, 'Body', 'bodyParameters'),
      };
    case 'form-urlencoded':
      return specified === 'string'
        ? { kind: 'text', value: String(await get('body', '')), type: 'application/x-www-form-urlencoded' }
        : { kind: 'form', value: await pairsOrJson(context, index, 'Body', 'bodyParameters') };
    case 'multipart-form-data':
      return { kind: 'multipart', value: await multipart(context, item, index) };
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

async function multipart(context: NodeContext, item: Item, index: number): Promise<FormData> {
  const form = new FormData();
  for (const pair of (await context.parameter<Pair[]>('bodyParameters.parameters', index, [])) ?? []) {
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

/** As text or bytes, and the content type where the headers name none. */
export function bodyOf(body: Payload): { body?: RequestBody; type?: string } {
  switch (body.kind) {
    case 'none':
      return {};
    case 'json':
      return { body: JSON.stringify(body.value ?? null), type: 'application/json' };
    case 'form':
      return { body: formText(body.value), type: 'application/x-www-form-urlencoded' };
    case 'text':
    case 'bytes':
      return { body: body.value, ...(body.type !== '' && { type: body.type }) };
    case 'multipart':
      return { body: body.value };
  }
}

function json(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw new NodeError('JSON parameter needs to be valid JSON', {
      description:
        'Check the quotes: a value out of an expression needs JSON.stringify() where it holds any.',
      cause,
    });
  }
}

function texts(values: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : String(value ?? ''),
    ]),
  );
}
