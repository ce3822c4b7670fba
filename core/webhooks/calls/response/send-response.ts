/** Turns the response of a workflow into an HTTP response. */
import { BytesResponse, withEnd } from '#core/http';
import type { Binary } from '#core/workflow-format';
import type { NodeResponse } from '../../node-api/node-response.ts';
import type { HeaderPair } from '../cors.ts';
import { etagOf, isCached } from './etag.ts';
import { sandboxResponse, withUtf8, workflowHeaders } from './response-headers.ts';

export interface WorkflowResponse {
  status: number;
  /** In order: the last of several with the same name wins. */
  headers: HeaderPair[];
  body: NodeResponse['body'];
  /** False: no node responded, the execution only ended. Default true. */
  fromWorkflow?: boolean;
}

interface SendOptions {
  request: Pick<Request, 'method' | 'headers'>;
  cors: HeaderPair[];
  /** Browsers show the response without the rights of this origin. */
  sandboxed: boolean;
  /** Opens a file. */
  open(binary: Binary): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Called when no file is read any more. */
  done(): void;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const encoder = new TextEncoder();

export async function sendResponse(response: WorkflowResponse, options: SendOptions): Promise<Response> {
  const { status, body } = response;
  const headers = workflowHeaders([...options.cors, ...response.headers]);
  if (options.sandboxed && response.fromWorkflow !== false) sandboxResponse(headers);
  if (body.kind === 'binary') return sendFile(body.binary, status, headers, options);
  options.done();
  const text = bodyText(body, headers);
  if (isBodyless(status)) return sendBodyless(status, headers);
  if (text === undefined) {
    if (!headers.has('content-type')) headers.set('content-type', JSON_TYPE);
    headers.set('content-length', '0');
    return new Response(null, { status, headers });
  }
  return sendText(text, status, headers, options.request);
}

/** The text of the body, or undefined. Sets the content type. */
function bodyText(
  body: Exclude<NodeResponse['body'], { kind: 'binary' }>,
  headers: Headers,
): string | undefined {
  const value = body.kind === 'json' ? body.value : body.kind === 'text' ? body.text : undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text === undefined) return undefined;
  const type = headers.get('content-type') ?? (typeof value === 'string' ? 'text/html' : 'application/json');
  headers.set('content-type', withUtf8(type));
  return text;
}

async function sendText(
  text: string,
  status: number,
  headers: Headers,
  request: SendOptions['request'],
): Promise<Response> {
  const bytes = encoder.encode(text);
  let etag = headers.get('etag');
  if (etag === null) {
    etag = await etagOf(bytes);
    headers.set('etag', etag);
  }
  if (status < 300 && isCached(request, etag)) return sendBodyless(304, headers);
  headers.set('content-length', String(bytes.length));
  return request.method === 'HEAD'
    ? new Response(null, { status, headers })
    : new BytesResponse(bytes, { status, headers });
}

function sendFile(binary: Binary, status: number, headers: Headers, options: SendOptions): Response {
  if (!headers.has('content-type')) headers.set('content-type', binary.mimeType);
  if (isBodyless(status) || options.request.method === 'HEAD') {
    options.done();
    return isBodyless(status) ? sendBodyless(status, headers) : new Response(null, { status, headers });
  }
  if (binary.bytes !== undefined) headers.set('content-length', String(binary.bytes));
  return new Response(withEnd(options.open(binary), options.done), { status, headers });
}

function isBodyless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

function sendBodyless(status: number, headers: Headers): Response {
  headers.delete('content-type');
  return new Response(null, { status, headers });
}
