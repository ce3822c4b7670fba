import { ndjsonValues } from './ndjson.ts';

/** Sends one request to the server, by the path of its API. */
export type Send = (path: string, init: RequestInit) => Promise<Response>;

/** The server refused or failed. The message is the server's. */
export class ApiFailure extends Error {
  override name = 'ApiFailure';
  constructor(
    /** HTTP status; 200 for an error within a stream. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** A client of the server's APIs. Aborting `signal` cancels all calls. */
export class ApiClient {
  constructor(
    readonly send: Send,
    readonly signal: AbortSignal,
  ) {}

  /** A client of the same server that a second signal can cancel too. */
  withSignal(signal: AbortSignal): ApiClient {
    return new ApiClient(this.send, AbortSignal.any([this.signal, signal]));
  }

  get<T>(path: string): Promise<T> {
    return this.#json('GET', path);
  }

  post<T>(path: string, body: object = {}): Promise<T> {
    return this.#json('POST', path, body);
  }

  async delete(path: string, body: object): Promise<void> {
    await (await this.request('DELETE', path, body)).text();
  }

  /** The values of an NDJSON response. A line with `error` is thrown as `ApiFailure`. */
  async *stream<T>(path: string, body: object): AsyncGenerator<T> {
    const response = await this.request('POST', path, body);
    if (!response.body) return;
    for await (const value of ndjsonValues(response.body)) {
      const { error } = value as { error?: string };
      if (error) throw new ApiFailure(response.status, error);
      yield value as T;
    }
  }

  /** Rejects with `ApiFailure` for every status from 400 on. */
  async request(method: string, path: string, body?: object): Promise<Response> {
    const response = await this.send(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: this.signal,
    });
    if (response.status >= 400) throw await failureOf(response);
    return response;
  }

  async #json<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await this.request(method, path, body);
    const text = await response.text();
    if (text === '') return {} as T;
    const value = JSON.parse(text) as T & { error?: string };
    // The server reports an error in the body if it has already sent the response head.
    if (typeof value?.error === 'string') throw new ApiFailure(response.status, value.error);
    return value;
  }
}

export async function failureOf(response: Response): Promise<ApiFailure> {
  const text = (await response.text()).trim();
  let message = text || `status ${response.status} ${response.statusText}`.trim();
  try {
    const { error, message: detail, hint } = JSON.parse(text) as FailureBody;
    if (error) message = typeof error === 'string' ? error : error.message;
    else if (detail) message = detail + (hint ? conflictText(hint) : '');
  } catch {
    // The body is plain text.
  }
  return new ApiFailure(response.status, message);
}

interface FailureBody {
  error?: string | { message: string };
  message?: string;
  hint?: string;
}

/** Names the workflows that use the webhook paths of a conflict. */
function conflictText(hint: string): string {
  try {
    const clashes = JSON.parse(hint) as {
      conflict: Record<'method' | 'webhookPath' | 'workflowName', string>;
    }[];
    return clashes
      .map(
        ({ conflict }) =>
          ` ${conflict.method} ${conflict.webhookPath} is taken by "${conflict.workflowName}".`,
      )
      .join('');
  } catch {
    return ` ${hint}`;
  }
}
