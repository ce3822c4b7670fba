import { ndjsonValues } from './ndjson.ts';

/** Sends one request to the server, by the path of its API. */
export type Send = (path: string, init: RequestInit) => Promise<Response>;

/** The server refused, or failed: its own words. */
export class ApiFailure extends Error {
  override name = 'ApiFailure';
  constructor(
    /** Of the answer; 200 for a failure told in a stream. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The local-models API as the command line calls it; every call ends when `signal` aborts. */
export class ApiClient {
  constructor(
    readonly send: Send,
    readonly signal: AbortSignal,
  ) {}

  /** The same server, given up earlier. */
  until(signal: AbortSignal): ApiClient {
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

  /** The values of an NDJSON answer; a line with `error` throws. */
  async *stream<T>(path: string, body: object): AsyncGenerator<T> {
    const response = await this.request('POST', path, body);
    if (!response.body) return;
    for await (const value of ndjsonValues(response.body)) {
      const { error } = value as { error?: string };
      if (error) throw new ApiFailure(response.status, error);
      yield value as T;
    }
  }

  /** Throws `ApiFailure` for every status from 400 on. */
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
    // A failure that came after the head had to go out stands in the body.
    if (typeof value?.error === 'string') throw new ApiFailure(response.status, value.error);
    return value;
  }
}

export async function failureOf(response: Response): Promise<ApiFailure> {
  const text = (await response.text()).trim();
  let message = text || `status ${response.status} ${response.statusText}`.trim();
  try {
    const { error, message: said, hint } = JSON.parse(text) as FailureBody;
    if (error) message = typeof error === 'string' ? error : error.message;
    else if (said) message = said + (hint ? takenBy(hint) : '');
  } catch {
    // Not JSON: a plain text says it.
  }
  return new ApiFailure(response.status, message);
}

interface FailureBody {
  error?: string | { message: string };
  message?: string;
  hint?: string;
}

/** Of a conflict of addresses: whose they are. */
function takenBy(hint: string): string {
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
