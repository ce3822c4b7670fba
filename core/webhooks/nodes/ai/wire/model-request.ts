/** Requests to servers of models, and their failures in n8n's words. */
import { isObject } from '#core/base';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { NodeError } from '../../../node-api/node-error.ts';
import { RequestError } from '../../../outgoing/request-error.ts';
import { STATUS_MESSAGES } from '../../../outgoing/status-messages.ts';

/** Where a server of models is, and what it is sent with each request. */
export interface ModelServer {
  /** Without a slash at its end. */
  baseUrl: string;
  headers: Record<string, string>;
  /** Milliseconds. Undefined: no limit. */
  timeout?: number;
  /** Servers of n8n's own clients have statuses in words; Ollama's client has the server's message alone. */
  errors: 'status' | 'plain';
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/** A request to a server of models failed. */
export class ModelError extends NodeError {
  /** Whether the error has the words of a status. Otherwise its cause is named in the description. */
  readonly isStatus: boolean;
  constructor(message: string, { kind, description, messages, isStatus = true }: ModelErrorOptions = {}) {
    super(message, {
      name: isStatus ? 'NodeApiError' : 'NodeOperationError',
      ...(description !== undefined && { description }),
      ...(messages && { messages }),
      ...(kind !== undefined && { context: { kind } }),
    });
    this.isStatus = isStatus;
  }
}

interface ModelErrorOptions {
  /** The kind of the cause, such as `ResponseError`. */
  kind?: string;
  description?: string;
  messages?: string[];
  isStatus?: boolean;
}

export interface ModelCall {
  path: string;
  /** Default: POST */
  method?: 'GET' | 'POST' | 'DELETE';
  /** JSON, a form with files, or bytes. */
  body?: object;
}

/**
 * Sends a request, and reads the answer.
 * @param read takes the response of a successful request. It works within the time limit.
 * @throws ModelError
 */
export async function requestModel<T>(
  context: Pick<NodeContext, 'signal'>,
  server: ModelServer,
  { path, method = 'POST', body }: ModelCall,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const limit = server.timeout === undefined ? undefined : AbortSignal.timeout(server.timeout);
  const signal = limit ? AbortSignal.any([context.signal, limit]) : context.signal;
  try {
    const isJson = body !== undefined && !(body instanceof FormData || body instanceof Uint8Array);
    const response = await server.fetch(`${server.baseUrl}${path}`, {
      method,
      headers: {
        ...(isJson && { 'content-type': 'application/json' }),
        accept: 'application/json',
        ...server.headers,
      },
      ...(body && { body: isJson ? JSON.stringify(body) : (body as NonNullable<RequestInit['body']>) }),
      signal,
    });
    if (!response.ok) throw await statusError(server, response);
    return await read(response);
  } catch (error) {
    if (context.signal.aborted) throw error;
    if (limit?.aborted) throw new ModelError('Request timed out.', { messages: ['Request timed out.'] });
    throw modelError(server, error);
  }
}

/** @throws SyntaxError for a body that is not JSON */
export async function readJson(response: Response): Promise<Record<string, unknown>> {
  const value: unknown = JSON.parse(await response.text());
  if (!isObject(value)) throw new SyntaxError('The answer is not a JSON object');
  return value;
}

function modelError({ errors }: ModelServer, error: unknown): Error {
  if (error instanceof ModelError || error instanceof RequestError || !(error instanceof Error))
    return error as Error;
  if (errors === 'plain') {
    return new ModelError(error.message, { kind: error.name, isStatus: false });
  }
  return new ModelError(error.message, { kind: error.name, messages: [error.message] });
}

async function statusError({ errors }: ModelServer, response: Response): Promise<ModelError> {
  const { status } = response;
  const message = errorText(await response.text()) || `status ${status}`;
  if (errors === 'plain') return new ModelError(message, { kind: 'ResponseError', isStatus: false });
  return new ModelError(STATUS_MESSAGES[status] ?? message, {
    description: message,
    messages: [`${status} ${message}`],
  });
}

/** The message of an error's body: that of its JSON, or its text. */
function errorText(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    const error = isObject(value) ? (value.error ?? value.message) : undefined;
    if (isObject(error) && typeof error.message === 'string') return error.message;
    return typeof error === 'string' ? error : body.trim();
  } catch {
    return body.trim();
  }
}
