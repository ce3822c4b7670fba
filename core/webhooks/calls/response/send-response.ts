/** What a workflow answers, as a response. */

import type { Binary } from '#core/workflow-format';
import type { NodeResponse } from '../../node-api/node-response.ts';
import { etagOf, isKnown } from './etag.ts';
import { ownHeaders, sandbox, withCharset } from './response-headers.ts';

export interface WorkflowResponse {
  status: number;
  /** In order; the last of a name wins. */
  headers: [string, string][];
  body: NodeResponse['body'];
  /** False: nobody in the workflow said anything, it is only over. */
  fromWorkflow?: boolean;
}

export interface Sending {
  request: Pick<Request, 'method' | 'headers'>;
  /** For a page of another site. */
  cors: [string, string][];
  /** Browsers show it without rights over this origin. */
  sandboxed: boolean;
  /** The bytes of a file. */
  open(binary: Binary): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** No file is read any more. */
  done(): void;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const encoder = new TextEncoder();

export async function sendResponse(answer: WorkflowResponse, sending: Sending): Promise<Response> {
  const { status, body } = answer;
  const headers = ownHeaders([...sending.cors, ...answer.headers]);
  if (sending.sandboxed && answer.fromWorkflow !== false) sandbox(headers);
  if (body.kind === 'binary') return sendFile(body.binary, status, headers, sending);
  sending.done();
  const text = textOf(body, headers);
  if (isBare(status)) return bare(status, headers);
  if (text === undefined) {
    if (!headers.has('content-type')) headers.set('content-type', JSON_TYPE);
    headers.set('content-length', '0');
    return new Response(null, { status, headers });
  }
  return sendText(text, status, headers, sending.request);
}

/** What is written, and its type where none is set; undefined = nothing. */
function textOf(
  body: Exclude<NodeResponse['body'], { kind: 'binary' }>,
  headers: Headers,
): string | undefined {
  const value = body.kind === 'json' ? body.value : body.kind === 'text' ? body.text : undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text === undefined) return undefined;
  const type = headers.get('content-type') ?? (typeof value === 'string' ? 'text/html' : 'application/json');
  headers.set('content-type', withCharset(type));
  return text;
}

async function sendText(
  text: string,
  status: number,
  headers: Headers,
  request: Sending['request'],
): Promise<Response> {
  const bytes = encoder.encode(text);
  let etag = headers.get('etag');
  if (etag === null) {
    etag = await etagOf(bytes);
    headers.set('etag', etag);
  }
  if (status < 300 && isKnown(request, etag)) return bare(304, headers);
  headers.set('content-length', String(bytes.length));
  return new Response(request.method === 'HEAD' ? null : bytes, { status, headers });
}

function sendFile(binary: Binary, status: number, headers: Headers, sending: Sending): Response {
  if (!headers.has('content-type')) headers.set('content-type', binary.mimeType);
  if (isBare(status) || sending.request.method === 'HEAD') {
    sending.done();
    return isBare(status) ? bare(status, headers) : new Response(null, { status, headers });
  }
  if (binary.bytes !== undefined) headers.set('content-length', String(binary.bytes));
  return new Response(watched(sending.open(binary), sending.done), { status, headers });
}

function isBare(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

function bare(status: number, headers: Headers): Response {
  headers.delete('content-type');
  return new Response(null, { status, headers });
}

/** Tells when the stream was read to its end, broke, or is wanted no more. */
function watched(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  over: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      over();
    },
    async cancel(reason) {
      over();
      await reader.cancel(reason);
    },
  });
}
