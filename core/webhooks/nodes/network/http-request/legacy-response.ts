/** The outputs of versions 1 and 2. */

import { isObject } from '#core/base';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { STATUS_MESSAGES } from '#core/webhooks/outgoing/status-messages.ts';
import type { Item, JsonObject } from '#core/workflow-format';
import { describeFile, type ReceivedResponse } from './response.ts';

const MESSAGES: Readonly<Record<number, string>> = {
  ...STATUS_MESSAGES,
  503: 'Service unavailable - try again later or consider setting this node to retry automatically',
};

/** The error for a response with an error status. An item of it shows the response. */
export function legacyResponseError({ statusCode, body, bytes }: ReceivedResponse): NodeError {
  const shown = bytes ? new TextDecoder().decode(bytes.subarray(0, 10_000)) : String(body ?? '');
  const message = `${statusCode} - ${shown}`;
  return new NodeError(MESSAGES[statusCode] ?? message, {
    name: 'NodeApiError',
    description: shown,
    httpCode: String(statusCode),
    json: {
      message,
      name: 'AxiosError',
      code: statusCode < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE',
      status: statusCode,
    },
  });
}

/** @param lenient keeps text that is not JSON: the output has the complete response */
export function parseLegacyBody(body: unknown, lenient: boolean): unknown {
  const text = String(body ?? '');
  if (text.trim() === '') return lenient ? '' : {};
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (lenient) return text;
    throw new NodeError('Response body is not valid JSON. Change "Response Format" to "String"', { cause });
  }
}

interface LegacyOutput {
  format: string;
  /** The field or file of the result. */
  name: string;
  options: JsonObject;
  item: Item;
  index: number;
  url: string;
}

/** The output for one response. A list is one item, unless it is to be split. */
export async function legacyItems(
  response: ReceivedResponse,
  { format, name, options, item, index, url }: LegacyOutput,
  context: NodeContext,
): Promise<Item[]> {
  const { headers, statusCode, statusMessage, body } = response;
  const pairedItem = { item: index };
  const metadata: JsonObject = { headers, statusCode, statusMessage };
  const isFull = options.fullResponse === true;
  if (format === 'file') {
    const described = describeFile(headers, url);
    const fileName = described.fileName ?? new URL(url).pathname.split('/').at(-1);
    const file = await context.binary.prepare(response.bytes!, {
      ...described,
      ...(fileName && { fileName }),
    });
    const json = isFull ? metadata : item.json;
    return [{ json, binary: { ...item.binary, [name]: file }, pairedItem }];
  }
  if (format === 'string') {
    return [{ json: isFull ? { [name]: body, ...metadata } : { [name]: body }, pairedItem }];
  }
  if (isFull) return [{ json: { body, ...metadata }, pairedItem }];
  if (options.splitIntoItems === true && Array.isArray(body)) {
    return body.map((element) => ({ json: element as JsonObject, pairedItem }));
  }
  // A list stays the item's JSON, as it was in these versions.
  return [
    { json: isObject(body) || Array.isArray(body) ? (body as JsonObject) : { [name]: body }, pairedItem },
  ];
}
