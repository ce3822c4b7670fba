import type { Digest, LocatedFile, ModelFile, Network } from '#core/host';
import { networkErrorText } from './network-error.ts';

export interface HttpFile {
  role: ModelFile['role'];
  name: string;
  url: string;
  size?: number;
  digest?: Digest;
  licence?: string;
  /** The ETag of this server looks like a SHA-256 and is none. */
  foreignEtag?: boolean;
  /** For the address itself; a redirect to another origin does not get them. */
  headers?: Record<string, string>;
}

/** An answer other than the file. */
export class HttpStatusError extends Error {
  override name = 'HttpStatusError';
  constructor(
    readonly status: number,
    message: string,
    /** Milliseconds that the server asks to wait. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** No answer, or one that broke off. */
export class ConnectionError extends Error {
  override name = 'ConnectionError';
}

/** The file at the source is no longer the one that was begun: start over. */
export class SourceChanged extends Error {
  override name = 'SourceChanged';
}

/** A file on the web, read from any offset; `size`, `digest` and `validator` are filled in by the first answer. */
export function httpFile(network: Network, file: HttpFile): LocatedFile {
  return {
    ...file,
    async open(offset, signal) {
      const response = await request(network, file, offset, signal);
      if (response.status === 416) {
        await response.body?.cancel();
        const same = this.validator === undefined || this.validator === response.headers.get('etag');
        if (rangeTotal(response) === offset && same) return empty();
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
      // A server without ranges sends the whole file again.
      if (response.status !== 206) return offset > 0 ? skip(response.body, offset) : response.body;
      if (rangeStart(response) === offset) return response.body;
      await response.body.cancel();
      throw new ConnectionError(`${file.url} sent another range than was asked for`);
    },
  };
}

/** Asks for size and digest first. undefined: the address holds nothing (404). */
export async function locateHttpFile(
  network: Network,
  file: HttpFile,
  signal: AbortSignal,
): Promise<LocatedFile | undefined> {
  const { ok, status, headers } = await request(network, file, 0, signal, 'HEAD');
  if (status === 404 || status === 410) return undefined;
  // A server that does not answer such questions may still give the file.
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

export async function statusError(response: Response, url: string): Promise<HttpStatusError> {
  const words = (await response.text().catch(() => '')).trim().slice(0, 300);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new HttpStatusError(
    response.status,
    `${url} answered ${response.status}${words === '' || words.startsWith('<') ? '' : `: ${words}`}`,
    seconds >= 0 ? seconds * 1000 : undefined,
  );
}

/** Hubs give the SHA-256 of large files as their ETag; the linked one is that of the file behind a redirect. */
function digestIn(headers: Headers): Digest | undefined {
  for (const name of ['x-linked-etag', 'etag']) {
    const match = /^"?([0-9a-f]{64})"?$/.exec(headers.get(name) ?? '');
    if (match) return `sha256:${match[1]}`;
  }
  return undefined;
}

function lengthOf(response: Response): number | undefined {
  // Of an encoded body the length says nothing about the file.
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

function empty(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}

function skip(body: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
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
