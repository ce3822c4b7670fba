/** Reads responses, as JSON, text or a file, and makes items of them. */

import { decodePercent, isObject } from '#core/base';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { RequestError } from '#core/webhooks/outgoing/request-error.ts';
import type { Item, JsonObject } from '#core/workflow-format';

export type Format = 'json' | 'text' | 'file';

export interface ReceivedResponse {
  statusCode: number;
  statusMessage: string;
  headers: JsonObject;
  format: Format;
  /** A JSON value or text; undefined for a file. */
  body: unknown;
  bytes?: Uint8Array<ArrayBuffer>;
}

export interface HttpResponseOptions {
  fullResponse: boolean;
  neverError: boolean;
  responseFormat: 'autodetect' | Format;
  outputPropertyName: string;
}

export async function readResponseOptions(context: NodeContext, index: number): Promise<HttpResponseOptions> {
  const options =
    (await context.parameter<Partial<HttpResponseOptions>>('options.response.response', index, {})) ?? {};
  return {
    fullResponse: options.fullResponse === true,
    neverError: options.neverError === true,
    responseFormat: options.responseFormat ?? 'autodetect',
    outputPropertyName: options.outputPropertyName || 'data',
  };
}

/** Content types that are read as files. */
const FILE_TYPES =
  /^(image|audio|video|font)\/|^application\/(octet-stream|pdf|zip|gzip|x-7z|x-bzip|x-tar|x-rar|vnd\.rar|epub|java-archive|msword|vnd\.(ms-|openxmlformats|oasis)|wasm)/;

/** Reads the whole body. @throws NodeError for a successful response whose body is not the JSON that it should be */
export async function readResponse(
  response: Response,
  format: HttpResponseOptions['responseFormat'],
): Promise<ReceivedResponse> {
  const bodyFormat = format === 'autodetect' ? detectFormat(response) : format;
  const received: ReceivedResponse = {
    statusCode: response.status,
    statusMessage: response.statusText,
    headers: headersOf(response.headers),
    format: bodyFormat,
    body: undefined,
  };
  if (bodyFormat === 'file') received.bytes = new Uint8Array(await response.arrayBuffer());
  else {
    const text = await response.text();
    received.body = bodyFormat === 'json' ? parseBody(text, response.ok) : text;
  }
  return received;
}

function detectFormat(response: Response): Format {
  const type = (response.headers.get('content-type') ?? '').toLowerCase();
  if (/\bjson\b/.test(type)) return 'json';
  return FILE_TYPES.test(type) ? 'file' : 'text';
}

function headersOf(headers: Headers): JsonObject {
  const cookies = headers.getSetCookie();
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) };
}

/**
 * @param strict false for error responses, whose text is shown unchanged
 */
function parseBody(text: string, strict: boolean): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!strict) return text;
    throw new NodeError('Response body is not valid JSON. Change "Response Format" to "Text"', { cause });
  }
}

/** The error for a response with an error status. Its message shows the response's body. */
export function responseError({ statusCode, body, bytes }: ReceivedResponse): RequestError {
  const text = bytes ? new TextDecoder().decode(bytes.subarray(0, 10_000)) : body;
  const shown = typeof text === 'string' ? text : text === undefined ? '' : JSON.stringify(text);
  return new RequestError(`${statusCode} - ${JSON.stringify(shown)}`, {
    code: statusCode < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE',
    status: statusCode,
    kind: 'AxiosError',
    description: ADVICE[statusCode] ?? 'The server answered with an error. The message shows its response.',
  });
}

const ADVICE: Record<number, string> = {
  401: 'The server requires authentication. Check the credential.',
  403: 'The server does not allow this request for the login. Check the credential.',
  404: 'The server has nothing at this address. Check the URL.',
  405: 'The address accepts other methods only.',
  429: 'The server receives too many requests. Send fewer at a time (batching), or let the node try again (settings).',
};

/** One item for each element of a JSON list, or else one item. */
export async function responseItems(
  response: ReceivedResponse,
  options: HttpResponseOptions,
  context: NodeContext,
  source: { item: Item; index: number; url: string },
): Promise<Item[]> {
  const pairedItem = { item: source.index };
  const { statusCode, statusMessage, headers, body } = response;
  const metadata: JsonObject = { headers, statusCode, statusMessage };
  const name = options.outputPropertyName;
  if (response.format === 'file') {
    const file = await context.binary.prepare(response.bytes!, describeFile(headers, source.url));
    const json = options.fullResponse ? metadata : source.item.json;
    return [{ json, binary: { ...source.item.binary, [name]: file }, pairedItem }];
  }
  if (response.format === 'text') {
    const json = options.fullResponse ? { [name]: body, ...metadata } : { [name]: body };
    return [{ json, pairedItem }];
  }
  if (options.fullResponse) return [{ json: { body: body ?? '', ...metadata }, pairedItem }];
  const list = Array.isArray(body) ? body : body === undefined ? [{}] : [body];
  return list.map((element) => ({ json: isObject(element) ? element : { [name]: element }, pairedItem }));
}

/** The name comes from `content-disposition` (RFC 6266), or else from an address whose last part has a dot. */
export function describeFile(headers: JsonObject, url: string): { fileName?: string; mimeType?: string } {
  const type = String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim();
  const disposition = String(headers['content-disposition'] ?? '');
  const [, encoded] = /filename\*=(?:UTF-8|utf-8)''([^;\s]+)/.exec(disposition) ?? [];
  const [, quoted, unquoted] = /filename="([^"]*)"|filename=([^;\s]+)/.exec(disposition) ?? [];
  const lastPart = new URL(url).pathname.split('/').at(-1) ?? '';
  const name =
    (encoded === undefined ? undefined : decodePercent(encoded)) ??
    quoted ??
    unquoted ??
    (lastPart.includes('.') ? decodePercent(lastPart) : undefined);
  return { ...(name && { fileName: name.split(/[/\\]/).at(-1)! }), ...(type !== '' && { mimeType: type }) };
}
