import type { Digest, LocatedFile, ModelFile, Network } from '#core/host';
import { networkErrorText } from './network-error-text.ts';

/** A file of a model on the web. */
export interface HttpFile {
  role: ModelFile['role'];
  name: string;
  url: string;
  size?: number;
  digest?: Digest;
  licence?: string;
  /** Whether this server's ETag may look like a SHA-256 without being the file's. */
  foreignEtag?: boolean;
  /** Sent to the address itself. A redirect to another origin does not get an authorization. */
  headers?: Record<string, string>;
}

/** A response with a status other than success. */
export class HttpStatusError extends Error {
  override name = 'HttpStatusError';
  constructor(
    readonly status: number,
    message: string,
    /** The wait that the server asks for, in milliseconds. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** No response, or one that broke off. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
}

/** The file at the source has changed since the download began. */
export class SourceChanged extends Error {
  override name = 'SourceChanged';
}

/**
 * A file on the web that can be read from any offset. The first response sets `size`, `digest` and `validator`.
 * Its `open` throws HttpStatusError, ConnectionError, SourceChanged, or the reason of the signal.
 */
export function httpFile(network: Network, file: HttpFile): LocatedFile {
  return {
    ...file,
    async open(offset, signal) {
      const response = await request(network, file, offset, signal);
      if (response.status === 416) {
        await response.body?.cancel();
        const isSameFile = this.validator === undefined || this.validator === response.headers.get('etag');
        if (rangeTotal(response) === offset && isSameFile) return emptyStream();
        throw new SourceChanged(`${file.name} has changed since its download began`);
      }
      if (!response.ok || !response.body) throw await statusError(response, file.url);
      const validator = response.headers.get('etag') ?? undefined;
      if (offset > 0 && this.validator !== undefined && validator !== this.validator) {
        await response.body.cancel();
        throw new SourceChanged(`${file.name} has changed since its download began`);
      }
      this.validator = validator;
      if (!file.foreignEtag) this.digest ??= digestIn(response.headers);
      const total = response.status === 206 ? rangeTotal(response) : lengthOf(response);
      if (this.size !== undefined && total !== undefined && total !== this.size) {
        await response.body.cancel();
        throw new SourceChanged(`${file.name} has ${total} bytes, not the ${this.size} that were announced`);
      }
      this.size ??= total;
      // A server without ranges sends the complete file again.
      if (response.status !== 206) return offset > 0 ? skipBytes(response.body, offset) : response.body;
      if (rangeStart(response) === offset) return response.body;
      await response.body.cancel();
      throw new ConnectionError(`${file.url} sent another range than was asked for`);
    },
  };
}

/** Like `httpFile`, with size and digest from a HEAD request. Undefined: there is no file at the address (404). */
export async function locateHttpFile(
  network: Network,
  file: HttpFile,
  signal: AbortSignal,
): Promise<LocatedFile | undefined> {
  const { ok, status, headers } = await request(network, file, 0, signal, 'HEAD');
  if (status === 404 || status === 410) return undefined;
  // A server that refuses HEAD requests may still deliver the file.
  if (!ok) return httpFile(network, file);
  const size = headers.get('content-encoding') ? null : headers.get('content-length');
  const digest = file.foreignEtag ? undefined : digestIn(headers);
  return httpFile(network, {
    ...file,
    ...(size === null ? {} : { size: Number(size) }),
    ...(digest ? { digest } : {}),
  });
}

async function request(
  network: Network,
  file: HttpFile,
  offset: number,
  signal: AbortSignal,
  method = 'GET',
): Promise<Response> {
  const range: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {};
  try {
    return await network.fetch(file.url, {
      method,
      headers: { ...file.headers, ...range },
      signal,
      cache: 'no-store',
      credentials: 'omit',
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new ConnectionError(networkErrorText(method === 'HEAD' ? 'Head' : 'Get', file.url, error), {
      cause: error,
    });
  }
}

/** The error for a response, with the beginning of its body unless that is HTML. */
export async function statusError(response: Response, url: string): Promise<HttpStatusError> {
  const text = (await response.text().catch(() => '')).trim().slice(0, 300);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new HttpStatusError(
    response.status,
    `${url} answered ${response.status}${text === '' || text.startsWith('<') ? '' : `: ${text}`}`,
    seconds >= 0 ? seconds * 1000 : undefined,
  );
}

/** Hubs use the SHA-256 of large files as their ETag. `x-linked-etag` is the ETag of a redirect's target. */
function digestIn(headers: Headers): Digest | undefined {
  for (const name of ['x-linked-etag', 'etag']) {
    const match = /^"?([0-9a-f]{64})"?$/.exec(headers.get(name) ?? '');
    if (match) return `sha256:${match[1]}`;
  }
  return undefined;
}

function lengthOf(response: Response): number | undefined {
  // The length of an encoded body is not the length of the file.
  if (response.headers.get('content-encoding')) return undefined;
  const length = response.headers.get('content-length');
  return length === null ? undefined : Number(length);
}

function rangeTotal(response: Response): number | undefined {
  const total = /^bytes [^/]*\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
  return total === undefined ? undefined : Number(total);
}

function rangeStart(response: Response): number {
  return Number(/^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1] ?? Number.NaN);
}

function emptyStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}

function skipBytes(body: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        if (part.length > left) controller.enqueue(part.subarray(left));
        left = Math.max(0, left - part.length);
      },
    }),
  );
}
