import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import { StorageFull } from '#core/host';
import { certificateRefusal } from '../../base/certificate-error.ts';
import type { S3Place } from './s3-place.ts';

/** The store of files did not answer, or refused. */
export class FilesUnavailable extends Error {
  override name = 'FilesUnavailable';
}

export interface S3Request {
  method: string;
  /** Without the place's prefix. */
  key: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
  /** Statuses that the caller handles, besides 2xx. */
  accept?: number[];
  signal?: AbortSignal;
}

/** Milliseconds between two attempts, which grow from the first to the last. */
const FIRST_PAUSE = 50;
const LAST_PAUSE = 2000;
/** Milliseconds until the head of a response must have arrived. */
const HEAD_TIMEOUT = 30_000;
const TEMPORARY = new Set([408, 429, 500, 502, 503, 504]);

/** Sends signed requests to a bucket. Failures that may pass are repeated for `retryFor` milliseconds. */
export class S3Requests {
  readonly #signer: AwsClient;
  readonly #parser = new XMLParser({
    parseTagValue: false,
    isArray: (name) => name === 'Contents' || name === 'CommonPrefixes',
  });

  constructor(
    readonly place: S3Place,
    private readonly retryFor = 15_000,
  ) {
    const { accessKeyId, secretAccessKey, sessionToken, region } = place;
    this.#signer = new AwsClient({ accessKeyId, secretAccessKey, sessionToken, region, service: 's3' });
  }

  /**
   * The response's head and its body as `read` returns it. `read` is repeated with the request when the body breaks off.
   * @throws FilesUnavailable, StorageFull
   */
  async send<T>(request: S3Request, read: (response: Response) => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.retryFor;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LAST_PAUSE)) {
      request.signal?.throwIfAborted();
      let cause: unknown;
      try {
        const response = await this.#once(request);
        const { status } = response;
        if (response.ok || request.accept?.includes(status)) return await read(response);
        const problem = await this.#problem(response);
        if (!TEMPORARY.has(status)) throw problem;
        cause = problem;
      } catch (error) {
        if (error instanceof FilesUnavailable || error instanceof StorageFull) throw error;
        request.signal?.throwIfAborted();
        cause = error;
      }
      // A certificate stays what it is, and the caller waits.
      if (refusedCertificate(cause)) throw this.#unavailable(cause);
      if (performance.now() + pause > deadline) throw this.#unavailable(cause);
      await sleep(pause, undefined, { signal: request.signal }).catch(() => request.signal?.throwIfAborted());
    }
  }

  /** The content of an XML document below its root. */
  async xml(response: Response): Promise<Record<string, unknown>> {
    const parsed = this.#parser.parse(await response.text()) as Record<string, unknown>;
    const [root] = Object.entries(parsed).filter(([name]) => name !== '?xml');
    return (root?.[1] ?? {}) as Record<string, unknown>;
  }

  async #once({ method, key, query = {}, headers, body, signal }: S3Request): Promise<Response> {
    const url = new URL(this.place.bucketUrl);
    url.pathname += encodeKey(key === '' ? '' : this.place.prefix + key);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signed = await this.#signer.sign(url, {
      method,
      headers: {
        ...headers,
        // The server refuses a body that was changed on its way, also without TLS.
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
      },
      ...(body && { body }),
    });
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error('no answer in time')), HEAD_TIMEOUT);
    try {
      return await fetch(signed, { signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal });
    } finally {
      clearTimeout(timer);
    }
  }

  async #problem(response: Response): Promise<Error> {
    const { Code = '', Message = '' } = (await this.xml(response).catch(() => ({}))) as Record<
      string,
      string
    >;
    if (response.status === 507 || /StorageFull|QuotaExceeded/i.test(Code))
      return new StorageFull(`no space left in ${this.place.name}`);
    const cause =
      Code === 'NoSuchBucket'
        ? 'there is no such bucket'
        : response.status === 403
          ? 'it refused the key'
          : `it answered ${response.status}`;
    return new FilesUnavailable(
      `${this.place.name} cannot be used: ${cause}${Code ? ` (${Code}: ${Message})` : ''}`,
    );
  }

  #unavailable(cause: unknown): Error {
    if (cause instanceof FilesUnavailable) return cause;
    const inner = innerCause(cause);
    const problem = refusedCertificate(cause) ?? `it does not answer (${inner.message || inner.code})`;
    return new FilesUnavailable(`${this.place.name} cannot be used: ${problem}`, { cause });
  }
}

const refusedCertificate = (cause: unknown) => certificateRefusal(innerCause(cause), 'NODE_EXTRA_CA_CERTS');

/** `fetch` rejects with an error that has the one of the connection as its cause. */
function innerCause(error: unknown): NodeJS.ErrnoException {
  const { cause } = error as Error;
  return cause instanceof Error ? cause : (error as Error);
}

/** A key as the path of a URL, in the encoding that signatures use. */
export function encodeKey(key: string): string {
  return key
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .join('/');
}
