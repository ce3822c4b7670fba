import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

type Body = ReadableStream<Uint8Array<ArrayBuffer>>;

/** A request of a client that may disconnect. */
export interface ClientRequest extends Request {
  /** Aborts the signal, because the client has disconnected. */
  leave(): void;
}

/** @param stream the body, which nobody has read from */
export const portRequest = (
  url: string,
  incoming: IncomingMessage,
  stream: Body | undefined,
): ClientRequest => new PortRequest(url, incoming, stream) as unknown as ClientRequest;

/**
 * A Fetch Request of Node's request, with the members that the core's own type of it has.
 * Constructing a `Request` with its signal costs more than a small answer, so this class constructs one only for
 * members that few callers use. It serves as the second argument
 * of `new Request`, not as the first.
 */
class PortRequest {
  readonly method: string;
  /** The values of every constructed `Request`, for `new Request(url, request)`. */
  readonly mode = 'cors';
  readonly duplex = 'half';
  #headers: Headers | undefined;
  #client: AbortController | undefined;
  #departure: DOMException | undefined;
  #complete: Request | undefined;

  constructor(
    readonly url: string,
    private readonly incoming: IncomingMessage,
    private readonly stream: Body | undefined,
  ) {
    this.method = incoming.method ?? 'GET';
  }

  get headers(): Headers {
    this.#headers ??= requestHeaders(this.incoming);
    return this.#headers;
  }

  /** Aborts when the client disconnects. */
  get signal(): AbortSignal {
    if (!this.#client) {
      this.#client = new AbortController();
      if (this.#departure) this.#client.abort(this.#departure);
    }
    return this.#client.signal;
  }

  leave(): void {
    this.#departure ??= new DOMException('the client has left', 'AbortError');
    this.#client?.abort(this.#departure);
  }

  get body(): Body | null {
    return this.stream ?? null;
  }

  get bodyUsed(): boolean {
    return this.stream !== undefined && Readable.isDisturbed(this.stream as unknown as Readable);
  }

  get #request(): Request {
    this.#complete ??= this.#toRequest();
    return this.#complete;
  }

  #toRequest(): Request {
    const { url, method, headers, signal, stream } = this;
    // Fetch cannot construct a TRACE request, but the core must answer it like every other method.
    return new Request(url, {
      method: method === 'TRACE' ? 'POST' : method,
      headers,
      signal,
      ...(stream && { body: stream, duplex: 'half' }),
    });
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#request.arrayBuffer();
  }
  blob(): ReturnType<Request['blob']> {
    return this.#request.blob();
  }
  formData(): ReturnType<Request['formData']> {
    return this.#request.formData();
  }
  json(): Promise<unknown> {
    return this.#request.json();
  }
  text(): Promise<string> {
    return this.#request.text();
  }
  clone(): Request {
    return this.#request.clone();
  }
}

function requestHeaders(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  const raw = incoming.rawHeaders;
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at]!, raw[at + 1]!);
  return headers;
}
