/** Makes a request of a template, sends it, and reads the errors of the service. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import { STATUS_MESSAGES } from '../../outgoing/status-messages.ts';
import {
  type Payload,
  type RequestDescription,
  toHeaders,
} from '../network/http-request/describe-request.ts';
import type { ReceivedResponse } from '../network/http-request/response.ts';
import { sendRequest, transferOver } from '../network/http-request/send-request.ts';
import type { RequestTemplate, ServiceBase } from './description.ts';
import { FileValue } from './file-value.ts';
import { fill, fillText, type Scope } from './fill.ts';
import type { ServiceCall } from './service-call.ts';

export async function describeTemplate(
  { service, index }: ServiceCall,
  { method = 'GET', path = '', headers, query, body, encoding = 'json' }: RequestTemplate,
  scope: Scope,
): Promise<RequestDescription> {
  const filledPath = await fillText(path, scope);
  const base = /^https?:\/\//i.test(filledPath) ? '' : await fillText(service.baseUrl, scope, withoutSlash);
  const own = { ...service.headers, ...headers };
  return {
    method,
    url: requireAddress(base + filledPath, service.label, index),
    query: ((await fill(query ?? {}, scope)) ?? {}) as JsonObject,
    headers: toHeaders(((await fill(own, scope)) ?? {}) as JsonObject),
    body:
      body === undefined || body === null ? { kind: 'none' } : payloadOf(await fill(body, scope), encoding),
    arrays: 'repeat',
  };
}

/** The error shows no address, which may contain a token. */
function requireAddress(url: string, label: string, index: number): string {
  if (/^https?:\/\/[^/?#]/i.test(url) && URL.canParse(url)) return url;
  throw new NodeError(`${label}: the address in the credential is not valid`, { itemIndex: index });
}

/** Addresses in credentials may end with a slash. */
function withoutSlash(value: string): string {
  return value.replace(/\/+$/, '');
}

function payloadOf(value: unknown, encoding: NonNullable<RequestTemplate['encoding']>): Payload {
  if (encoding === 'bytes') {
    if (value instanceof FileValue) return { kind: 'bytes', value: value.bytes, type: value.mimeType };
    return { kind: 'text', value: String(value ?? ''), type: 'text/plain' };
  }
  const fields = isObject(value) ? value : {};
  if (encoding === 'form') return { kind: 'form', value: fields };
  if (encoding === 'json') return { kind: 'json', value: value ?? {} };
  const form = new FormData();
  for (const [name, field] of Object.entries(fields)) {
    if (field instanceof FileValue) {
      form.append(name, new Blob([field.bytes], { type: field.mimeType }), field.fileName ?? 'file');
    } else form.append(name, typeof field === 'object' ? JSON.stringify(field) : String(field));
  }
  return { kind: 'multipart', value: form };
}

/** Milliseconds. */
const TIMEOUT = 300_000;

/** @throws NodeError for an answer with an error, with the reason of the service */
export async function sendTo(
  { service, context, authentication }: ServiceCall,
  description: RequestDescription,
  format: 'autodetect' | 'file' = 'autodetect',
): Promise<ReceivedResponse> {
  const transfer = transferOver(context, {
    proxy: '',
    allowAnyCertificate: false,
    timeout: TIMEOUT,
    followRedirects: true,
    maxRedirects: 21,
  });
  const response = await sendRequest(description, authentication, transfer, format, context);
  const { failsWhen } = service;
  const failed =
    response.statusCode >= 400 ||
    (failsWhen !== undefined && isFailure(getPath(response.body, failsWhen.path), failsWhen));
  if (failed) throw serviceError(service, response);
  return response;
}

function isFailure(value: unknown, { is }: NonNullable<ServiceBase['failsWhen']>): boolean {
  return is === undefined ? value !== undefined && value !== null : value === is;
}

function serviceError({ reasons = [], label }: ServiceBase, response: ReceivedResponse): NodeError {
  const { statusCode, bytes } = response;
  const body = bytes ? readJson(new TextDecoder().decode(bytes)) : response.body;
  const texts = [...reasons, 'error.message', 'error_description', 'message', 'error']
    .map((path) => getPath(body, path))
    .filter((value): value is string => typeof value === 'string' && value !== '');
  const reason = texts[0] ?? (typeof body === 'string' ? body.slice(0, 500) : JSON.stringify(body ?? ''));
  const message = STATUS_MESSAGES[statusCode] ?? `${label} error response: ${reason}`;
  return new NodeError(message, {
    name: 'NodeApiError',
    description: reason,
    httpCode: String(statusCode),
    json: texts[0] ?? message,
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
