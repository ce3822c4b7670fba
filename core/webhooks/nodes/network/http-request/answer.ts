/** What an answer becomes: items of JSON, text or a file. */

import { isObject } from '#core/base';
import type { NodeContext } from '#core/webhooks/node-api/node-context.ts';
import { NodeError } from '#core/webhooks/node-api/node-error.ts';
import { RequestError } from '#core/webhooks/outgoing/request-error.ts';
import type { Item, JsonObject } from '#core/workflow-format';

export type Format = 'json' | 'text' | 'file';

export interface Answer {
  statusCode: number;
  statusMessage: string;
  headers: JsonObject;
  format: Format;
  /** JSON value or text; of a file undefined. */
  body: unknown;
  bytes?: Uint8Array<ArrayBuffer>;
}

export interface AnswerOptions {
  fullResponse: boolean;
  neverError: boolean;
  responseFormat: 'autodetect' | Format;
  outputPropertyName: string;
}

export async function answerOptions(context: NodeContext, index: number): Promise<AnswerOptions> {
  const set = (await context.parameter<Partial<AnswerOptions>>('options.response.response', index, {})) ?? {};
  return {
    fullResponse: set.fullResponse === true,
    neverError: set.neverError === true,
    responseFormat: set.responseFormat ?? 'autodetect',
    outputPropertyName: set.outputPropertyName || 'data',
  };
}

const FILES =
  /^(image|audio|video|font)\/|^application\/(octet-stream|pdf|zip|gzip|x-7z|x-bzip|x-tar|x-rar|vnd\.rar|epub|java-archive|msword|vnd\.(ms-|openxmlformats|oasis)|wasm)/;

export async function readAnswer(
  response: Response,
  wanted: AnswerOptions['responseFormat'],
): Promise<Answer> {
  const type = (response.headers.get('content-type') ?? '').toLowerCase();
  const found: Format = /\bjson\b/.test(type) ? 'json' : FILES.test(type) ? 'file' : 'text';
  const format = wanted === 'autodetect' ? found : wanted;
  const answer: Answer = {
    statusCode: response.status,
    statusMessage: response.statusText,
    headers: headersOf(response.headers),
    format,
    body: undefined,
  };
  if (format === 'file') answer.bytes = new Uint8Array(await response.arrayBuffer());
  else {
    answer.body = await response.text();
    if (format === 'json') answer.body = parsed(String(answer.body), response.ok);
  }
  return answer;
}

export function headersOf(headers: Headers): JsonObject {
  const cookies = headers.getSetCookie();
  return { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) };
}

/** Of an error the text is enough. */
function parsed(text: string, strict: boolean): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!strict) return text;
    throw new NodeError('Response body is not valid JSON. Change "Response Format" to "Text"', { cause });
  }
}

/** The error of an answer that is one. */
export function failureOf({ statusCode, body, bytes }: Answer): RequestError {
  const text = bytes ? new TextDecoder().decode(bytes.subarray(0, 10_000)) : body;
  const shown = typeof text === 'string' ? text : text === undefined ? '' : JSON.stringify(text);
  return new RequestError(`${statusCode} - ${JSON.stringify(shown)}`, {
    code: statusCode < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE',
    status: statusCode,
    kind: 'AxiosError',
    description:
      ADVICE[statusCode] ?? 'The server answered with an error: what it says of it is in the message.',
  });
}

const ADVICE: Record<number, string> = {
  401: 'The server wants to know who asks: check the credential.',
  403: 'The server does not let this login do that: check the credential.',
  404: 'There is nothing at this address: check it.',
  405: 'This address takes other methods only.',
  429: 'The server gets too many requests: send fewer at a time (batching), or let the node try again (settings).',
};

export async function itemsOf(
  answer: Answer,
  options: AnswerOptions,
  context: NodeContext,
  from: { item: Item; index: number; url: string },
): Promise<Item[]> {
  const pairedItem = { item: from.index };
  const { statusCode, statusMessage, headers, body } = answer;
  const about: JsonObject = { headers, statusCode, statusMessage };
  const name = options.outputPropertyName;
  if (answer.format === 'file') {
    const file = await context.binary.prepare(answer.bytes!, fileNamed(headers, from.url));
    const json = options.fullResponse ? about : from.item.json;
    return [{ json, binary: { ...from.item.binary, [name]: file }, pairedItem }];
  }
  if (answer.format === 'text') {
    const json = options.fullResponse ? { [name]: body, ...about } : { [name]: body };
    return [{ json, pairedItem }];
  }
  if (options.fullResponse) return [{ json: { body: body ?? '', ...about }, pairedItem }];
  const list = Array.isArray(body) ? body : body === undefined ? [{}] : [body];
  return list.map((one) => ({ json: isObject(one) ? one : { [name]: one }, pairedItem }));
}

function fileNamed(headers: JsonObject, url: string): { fileName?: string; mimeType?: string } {
  const type = String(headers['content-type'] ?? '')
    .split(';')[0]!
    .trim();
  const said = String(headers['content-disposition'] ?? '');
  const coded = /filename\*=(?:UTF-8|utf-8)''([^;\s]+)/.exec(said)?.[1];
  const plain = /filename="([^"]*)"|filename=([^;\s]+)/.exec(said);
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  const name = decoded(coded) ?? plain?.[1] ?? plain?.[2] ?? (last.includes('.') ? decoded(last) : undefined);
  return { ...(name && { fileName: name.split(/[/\\]/).at(-1)! }), ...(type !== '' && { mimeType: type }) };
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return text;
  }
}
