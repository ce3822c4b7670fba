/** One of the two servers that are compared: tabd, or the real system. */

export interface Side {
  /** For figures and errors, such as `tabd` or `ollama`. */
  readonly name: string;
  /** `http://host:port` */
  readonly origin: string;
  /** Headers of every request, such as a key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends all requests. */
  readonly signal: AbortSignal;
}

/** A side that cannot be measured. The message names the side, the request, the cause and the next step. */
export class SideError extends Error {
  constructor({ name, origin }: Pick<Side, 'name' | 'origin'>, what: string, options?: ErrorOptions) {
    super(`${name} at ${origin}: ${what}`, options);
  }
}

/** Milliseconds of a whole request, after which a side counts as hung. Long prompts on a busy machine take a minute. */
const LONGEST = 300_000;

export interface AskOptions {
  method?: string;
  /** Sent as JSON. */
  json?: unknown;
  body?: Blob;
  /** Milliseconds until the end of the answer. */
  limit?: number;
}

/** Sends a request. @throws SideError if there is no answer, or one that is not 2xx */
export async function ask(side: Side, path: string, options: AskOptions = {}): Promise<Response> {
  const response = await askAny(side, path, options);
  if (response.ok) return response;
  const text = await readText(side, path, response);
  throw new SideError(side, `${methodOf(options)} ${path} answered ${response.status}: ${shortened(text)}`);
}

/** Sends a request, and returns any answer. @throws SideError if there is none */
export async function askAny(side: Side, path: string, options: AskOptions = {}): Promise<Response> {
  const { json, body, limit = LONGEST } = options;
  const timer = AbortSignal.timeout(limit);
  try {
    return await fetch(side.origin + path, {
      method: methodOf(options),
      headers: { ...side.headers, ...(json !== undefined && { 'content-type': 'application/json' }) },
      signal: AbortSignal.any([side.signal, timer]),
      ...(json !== undefined ? { body: JSON.stringify(json) } : body && { body }),
    });
  } catch (error) {
    side.signal.throwIfAborted();
    const why = timer.aborted ? `did not answer within ${limit / 1000} s` : reasonOf(error);
    throw new SideError(side, `${methodOf(options)} ${path}: ${why}`, { cause: error });
  }
}

/** The JSON of an answer. @throws SideError */
export async function askJson<T>(side: Side, path: string, options?: AskOptions): Promise<T> {
  const text = await readText(side, path, await ask(side, path, options));
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new SideError(side, `${path} answered no JSON: ${shortened(text)}`);
  }
}

/** The pieces of a body. @throws SideError if the connection ends early */
export async function* readPieces(side: Side, path: string, response: Response): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of response.body ?? []) yield piece;
  } catch (error) {
    side.signal.throwIfAborted();
    throw new SideError(side, `the answer to ${path} broke off: ${reasonOf(error)}`, { cause: error });
  }
}

export async function readText(side: Side, path: string, response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of readPieces(side, path, response)) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

const methodOf = ({ method, json, body }: AskOptions) =>
  method ?? (json !== undefined || body !== undefined ? 'POST' : 'GET');

export const shortened = (text: string) => text.slice(0, 200).replaceAll(/\s+/g, ' ').trim() || 'nothing';

/** The innermost cause: `fetch failed` alone helps nobody. */
function reasonOf(error: unknown): string {
  let inner = error as Error & { code?: string };
  while (inner.cause instanceof Error) inner = inner.cause;
  if (inner.code === 'ECONNREFUSED')
    return 'nothing listens there (ECONNREFUSED); start it, or correct the address';
  return inner.message || inner.code || String(error);
}
