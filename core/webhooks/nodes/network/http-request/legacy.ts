/** Requests of versions 1 and 2, whose parameters and outputs have other names and shapes. */

import { isObject } from '#core/base';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { type ArrayFormat, addQuery } from '#core/webhooks/outgoing/query.ts';
import type { Item, JsonObject } from '#core/workflow-format';
import { commaList } from '../../shared/comma-list.ts';
import { parseJsonParameter } from '../../shared/parse-json.ts';
import { readAuthentication } from './authentication.ts';
import { type Payload, type RequestDescription, requireUrl, toHeaders } from './describe-request.ts';
import { legacyItems, legacyResponseError, parseLegacyBody } from './legacy-response.ts';
import { sendRequest, transferOver } from './send-request.ts';

/** The `accept` header for each format. */
const ACCEPT: Record<string, string> = {
  json: 'application/json,text/*;q=0.99',
  string: 'application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, */*;q=0.1',
  file: 'application/json,text/html,application/xhtml+xml,application/xml,text/*;q=0.9, image/*;q=0.8, */*;q=0.7',
};

/** The items of the response to the request for one item. @throws NodeError for a failed request */
export async function legacyRequestForItem(context: NodeContext, item: Item, index: number): Promise<Item[]> {
  const options = (await context.parameter<JsonObject>('options', index, {})) ?? {};
  const format = String(await context.parameter('responseFormat', index));
  const description = await describeLegacyRequest(context, item, index, options);
  description.headers = { accept: ACCEPT[format] ?? ACCEPT.json!, ...description.headers };
  const transfer = transferOver(context, {
    proxy: String(options.proxy ?? '').trim(),
    allowAnyCertificate: (await context.parameter('allowUnauthorizedCerts', index, false)) === true,
    timeout: Number(options.timeout),
    followRedirects: options.followRedirect !== false || options.followAllRedirects === true,
    maxRedirects: 21,
  });
  const authentication = await readAuthentication(context);
  const readAs = format === 'file' ? 'file' : 'text';
  const response = await sendRequest(description, authentication, transfer, readAs, context);
  if (response.statusCode >= 400 && options.ignoreResponseCode !== true) throw legacyResponseError(response);
  if (format === 'json') response.body = parseLegacyBody(response.body, options.fullResponse === true);
  const name = String((await context.parameter('dataPropertyName', index, 'data')) || 'data');
  return legacyItems(response, { format, name, options, item, index, url: description.url }, context);
}

/** @returns how many requests run at the same time, and the pause between them in milliseconds */
export async function readLegacyBatching(context: NodeContext): Promise<{ size: number; pause: number }> {
  const { batchSize, batchInterval = 1000 } = (await context.parameter<JsonObject>('options', 0, {})) ?? {};
  const size = Number(batchSize ?? 0);
  return size >= 1
    ? { size: Math.floor(size), pause: Math.max(0, Number(batchInterval)) }
    : { size: 50, pause: 0 };
}

async function describeLegacyRequest(
  context: NodeContext,
  item: Item,
  index: number,
  options: JsonObject,
): Promise<RequestDescription> {
  const url = requireUrl(await context.parameter('url', index), index);
  const method = String(await context.parameter('requestMethod', index)).toUpperCase();
  const query = await valuesOf(context, index, 'query');
  const headers = await valuesOf(context, index, 'header');
  if (!isObject(query) || !isObject(headers)) {
    throw new NodeError('Headers and query parameters have to be JSON objects', { itemIndex: index });
  }
  const hasBody = /^(PATCH|POST|PUT|DELETE)$/.test(method);
  return {
    method,
    url,
    query,
    headers: toHeaders(headers),
    body: hasBody ? await legacyPayload(context, item, index, options) : { kind: 'none' },
    arrays: (options.queryParameterArrays as ArrayFormat | undefined) ?? 'repeat',
  };
}

async function legacyPayload(
  context: NodeContext,
  item: Item,
  index: number,
  options: JsonObject,
): Promise<Payload> {
  const type = String(options.bodyContentType ?? 'json');
  const value = await valuesOf(context, index, 'body');
  if ((await context.parameter('sendBinaryData', index, false)) === true) {
    const names = commaList(await context.parameter('binaryPropertyName', index, 'data'));
    if (type === 'multipart-form-data') return formPayload(context, item, index, { names, value });
    const file = context.binary.require(item, names[0] ?? 'data', index);
    return { kind: 'bytes', value: await context.binary.bytes(file), type: file.mimeType };
  }
  if (type === 'multipart-form-data') return formPayload(context, item, index, { names: [], value });
  if (type === 'form-urlencoded') {
    const text = isObject(value) ? addQuery('', value).slice(1) : String(value ?? '');
    return { kind: 'text', value: text, type: 'application/x-www-form-urlencoded' };
  }
  if (type === 'raw') {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { kind: 'text', value: text, type: String(options.bodyContentCustomMimeType ?? '') };
  }
  const isEmpty = isObject(value) && Object.keys(value).length === 0;
  return isEmpty ? { kind: 'none' } : { kind: 'json', value };
}

/** @param names of files: `field:file`, or the same name for both */
async function formPayload(
  context: NodeContext,
  item: Item,
  index: number,
  { names, value }: { names: string[]; value: unknown },
): Promise<Payload> {
  const form = new FormData();
  for (const [name, field] of Object.entries(isObject(value) ? value : {})) {
    form.append(name, typeof field === 'object' ? JSON.stringify(field) : String(field ?? ''));
  }
  for (const entry of names) {
    const [field = '', property = field] = entry.split(':').map((part) => part.trim());
    const file = context.binary.require(item, property, index);
    const blob = new Blob([await context.binary.bytes(file)], { type: file.mimeType });
    form.append(field, blob, file.fileName ?? field);
  }
  return { kind: 'multipart', value: form };
}

/** The values of one kind, set one by one or as JSON. Raw bodies are text. */
async function valuesOf(
  context: NodeContext,
  index: number,
  kind: 'body' | 'header' | 'query',
): Promise<unknown> {
  if ((await context.parameter('jsonParameters', index, false)) === true) {
    const value = await context.parameter(`${kind}ParametersJson`, index, '');
    const isRaw =
      kind === 'body' && (await context.parameter('options.bodyContentType', index, 'json')) === 'raw';
    if (isRaw) return value;
    if (value === '' || value === undefined || value === null) return {};
    return parseJsonParameter(value, 'JSON parameter need to be an valid JSON', { itemIndex: index });
  }
  type Pair = { name?: string; value?: unknown };
  const pairs = (await context.parameter<Pair[]>(`${kind}ParametersUi.parameter`, index, [])) ?? [];
  return Object.fromEntries(pairs.filter(({ name }) => name).map(({ name, value }) => [name, value]));
}
