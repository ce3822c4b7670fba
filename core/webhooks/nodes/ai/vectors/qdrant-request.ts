/** Requests to Qdrant, and their failures with the next step. */
import { errorMessage, isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import { NodeError } from '../../../node-api/node-error.ts';
import { RequestError } from '../../../outgoing/request-error.ts';
import { STATUS_MESSAGES } from '../../../outgoing/status-messages.ts';

/** Milliseconds, as in Qdrant's own client. */
const TIMEOUT = 300_000;

/** Where a server of Qdrant is, and how it is reached. */
export interface QdrantServer {
  /** Scheme, host and port. */
  origin: string;
  /** Empty: the server needs none. */
  apiKey: string;
  /** Ends the request. */
  signal: AbortSignal;
  fetch(url: string, init: RequestInit): Promise<Response>;
}

/**
 * The `result` of a request.
 * @throws NodeError when the server refuses the request, answers something else, or cannot be reached
 */
export async function askQdrant(
  server: QdrantServer,
  { method, path, body }: { method: string; path: string; body?: JsonObject },
): Promise<unknown> {
  const limit = AbortSignal.timeout(TIMEOUT);
  try {
    const response = await server.fetch(`${server.origin}${path}`, {
      method,
      headers: {
        ...(server.apiKey && { 'api-key': server.apiKey }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([server.signal, limit]),
    });
    const text = await response.text();
    if (!response.ok) throw refusal(response.status, text);
    return resultOf(text);
  } catch (error) {
    if (server.signal.aborted) throw server.signal.reason;
    if (limit.aborted) {
      throw new NodeError(`Qdrant at ${server.origin} did not answer within ${TIMEOUT / 1000} seconds`, {
        name: 'NodeApiError',
        description: 'Check whether the server is busy, then run the workflow again.',
      });
    }
    throw unreachable(server, error);
  }
}

function resultOf(text: string): unknown {
  try {
    const answer: unknown = JSON.parse(text);
    if (isObject(answer) && 'result' in answer) return answer.result;
  } catch {
    // An answer that is not JSON is handled as one without a result.
  }
  throw new NodeError('The answer does not come from Qdrant', {
    name: 'NodeApiError',
    description:
      'Check the URL of the credential: it is the address of the REST API, which usually has the port 6333.',
  });
}

/** The error of an answer with an error status, in n8n's words and those of the server. */
function refusal(status: number, body: string): NodeError {
  const words = wordsOf(body) || `Status ${status}`;
  const step = nextStep(status, words);
  return new NodeError(STATUS_MESSAGES[status] ?? words, {
    name: 'NodeApiError',
    httpCode: String(status),
    description: step === undefined ? words : `${words.replace(/[.\s]*$/, '')}. ${step}`,
    messages: [`${status} ${words}`],
  });
}

/** The error of `{"status":{"error":"…"}}`, or a plain text. */
function wordsOf(body: string): string {
  try {
    const answer: unknown = JSON.parse(body);
    const status = isObject(answer) ? answer.status : undefined;
    return isObject(status) && typeof status.error === 'string' ? status.error : body.trim();
  } catch {
    return body.trim();
  }
}

function nextStep(status: number, words: string): string | undefined {
  if (status === 401 || status === 403) return 'Check the API key of the credential, and what it may do.';
  if (status === 404) return 'Check the name of the collection: it may have been deleted.';
  if (/dimension/i.test(words))
    return 'Connect the embedding model that filled the collection, or choose another collection.';
  return undefined;
}

/** The network's own errors name the cause; those without advice get some. */
function unreachable({ origin }: QdrantServer, error: unknown): Error {
  const hasAdvice = error instanceof NodeError && error.description !== undefined;
  if (hasAdvice || !(error instanceof RequestError || error instanceof TypeError)) return error as Error;
  return new NodeError(errorMessage(error), {
    name: 'NodeApiError',
    description: `Qdrant at ${origin} cannot be reached. Check the URL of the credential, and whether the server runs.`,
    cause: error,
  });
}
