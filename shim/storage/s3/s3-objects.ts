import { type FileHandle, open } from 'node:fs/promises';
import { readBytes } from '../../base/read-bytes.ts';
import { encodeKey, FilesUnavailable, type S3Requests } from './s3-request.ts';

/** An object of a bucket. */
export interface S3Object {
  key: string;
  size: number;
  /** Changes with the content. */
  etag: string;
  /** Milliseconds since 1970. */
  modifiedAt: number;
}

export interface S3Listing {
  objects: S3Object[];
  /** The beginnings of further keys, each with its slash at the end. */
  folders: string[];
}

/** Larger bodies are sent in parts, of this size or more. */
const PART_SIZE = 16 * 2 ** 20;
/** S3 allows 10,000 parts. */
const MAX_PARTS = 9000;
/** Parts of one upload that are sent at the same time. */
const PARTS_AT_ONCE = 3;

type Bytes = Uint8Array<ArrayBuffer>;

/** The operations on objects that tabd needs. An object is seen when it is complete. */
export class S3Objects {
  constructor(private readonly requests: S3Requests) {}

  get name(): string {
    return this.requests.place.name;
  }

  /** Undefined: there is no such object. */
  head(key: string): Promise<S3Object | undefined> {
    // 400: the key is too long to exist.
    return this.requests.send({ method: 'HEAD', key, accept: [400, 404] }, async ({ ok, headers }) =>
      ok ? objectInfo(key, headers) : undefined,
    );
  }

  /**
   * Bytes [start, end). Undefined: there is no such object. The result is complete, or the promise rejects.
   */
  get(key: string, start = 0, end = Number.POSITIVE_INFINITY): Promise<Bytes | undefined> {
    if (end <= start) return this.head(key).then((found) => found && new Uint8Array());
    const range = start > 0 || Number.isFinite(end);
    return this.requests.send(
      {
        method: 'GET',
        key,
        ...(range && { headers: { range: rangeOf(start, end) } }),
        accept: [400, 404, 416],
      },
      async (response) => {
        if (response.status === 416) return new Uint8Array();
        const expected = Number(response.headers.get('content-length'));
        const bytes = new Uint8Array(await response.arrayBuffer());
        if (!response.ok) return undefined;
        if (bytes.length !== expected) throw new Error(`only ${bytes.length} of ${expected} bytes arrived`);
        return bytes;
      },
    );
  }

  /**
   * Bytes [start, end) of a found object as a stream. After a broken connection it continues where it was. It fails when
   * the object changes meanwhile.
   */
  stream({ key, size, etag }: S3Object, start = 0, end = size): ReadableStream<Bytes> {
    const last = Math.min(end, size);
    const { requests } = this;
    let at = start;
    let reader: ReadableStreamDefaultReader<Bytes> | undefined;
    let failures = 0;
    const connect = () =>
      requests.send(
        { method: 'GET', key, headers: { range: rangeOf(at, last), 'if-match': etag }, accept: [404, 412] },
        async (response) => {
          if (response.ok) return response.body!.getReader() as ReadableStreamDefaultReader<Bytes>;
          await response.body?.cancel();
          throw new FilesUnavailable(`${key} of ${requests.place.name} was changed while it was read`);
        },
      );
    return new ReadableStream<Bytes>(
      {
        async pull(controller) {
          for (;;) {
            if (at >= last) return controller.close();
            try {
              reader ??= await connect();
              const { done, value } = await reader.read();
              if (done) throw new Error(`the answer ended at ${at} of ${last}`);
              at += value.length;
              failures = 0;
              return controller.enqueue(value);
            } catch (error) {
              reader = undefined;
              failures += 1;
              if (error instanceof FilesUnavailable || failures > 5) throw error;
            }
          }
        },
        cancel: (reason) => reader?.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /** Stores an object. With `exclusive`, returns false when the key is taken. */
  async put(key: string, bytes: Bytes, exclusive = false): Promise<boolean> {
    if (bytes.length > PART_SIZE) {
      return this.#multipart(key, bytes.length, exclusive, async (start, end) => bytes.subarray(start, end));
    }
    return this.requests.send(
      { method: 'PUT', key, body: bytes, ...onlyIfFree(exclusive) },
      async (response) => {
        await response.body?.cancel();
        return response.ok;
      },
    );
  }

  /** Stores a file of this computer as an object. */
  async putFile(key: string, path: string, exclusive = false): Promise<boolean> {
    const file: FileHandle = await open(path, 'r');
    try {
      const { size } = await file.stat();
      if (size <= PART_SIZE) return await this.put(key, await readBytes(file, 0, size), exclusive);
      return await this.#multipart(key, size, exclusive, (start, end) => readBytes(file, start, end));
    } finally {
      await file.close();
    }
  }

  /** Copies an object inside of the bucket. Large ones are copied in parts. */
  async copy(from: S3Object, to: string): Promise<void> {
    const source = `/${this.#bucket}/${encodeKey(this.requests.place.prefix + from.key)}`;
    const headers = { 'x-amz-copy-source': source, 'x-amz-copy-source-if-match': from.etag };
    // S3 copies at most 5 GB at once.
    if (from.size > 4 * 2 ** 30) {
      await this.#parts(to, from.size, false, async (query, start, end) =>
        this.requests.send(
          {
            method: 'PUT',
            key: to,
            query,
            headers: { ...headers, 'x-amz-copy-source-range': rangeOf(start, end) },
          },
          async (response) => String((await this.requests.xml(response)).ETag),
        ),
      );
      return;
    }
    await this.requests.send({ method: 'PUT', key: to, headers }, async (response) => {
      // A copy may fail after the head: then its body is an error.
      const answer = await this.requests.xml(response);
      if (answer.Code !== undefined) throw new Error(`${answer.Code}: ${answer.Message}`);
    });
  }

  /** Does nothing when there is no such object. */
  delete(key: string): Promise<void> {
    return this.requests.send({ method: 'DELETE', key, accept: [404] }, async (response) => {
      await response.body?.cancel();
    });
  }

  /**
   * The objects whose keys begin with `start`.
   * @param options.direct only those without a further slash; the others are summed up as folders
   * @param options.limit stops after that many entries
   */
  async list(start: string, options: { direct?: boolean; limit?: number } = {}): Promise<S3Listing> {
    const { prefix } = this.requests.place;
    const found: S3Listing = { objects: [], folders: [] };
    let token: string | undefined;
    do {
      const page = await this.requests.send(
        {
          method: 'GET',
          key: '',
          query: {
            'list-type': '2',
            'encoding-type': 'url',
            prefix: prefix + start,
            ...(options.direct && { delimiter: '/' }),
            ...(options.limit && { 'max-keys': String(options.limit) }),
            ...(token && { 'continuation-token': token }),
          },
        },
        (response) => this.requests.xml(response),
      );
      const keyOf = (text: unknown) =>
        decodeURIComponent(String(text).replaceAll('+', ' ')).slice(prefix.length);
      for (const each of (page.Contents ?? []) as Record<string, string>[]) {
        found.objects.push({
          key: keyOf(each.Key),
          size: Number(each.Size),
          etag: each.ETag ?? '',
          modifiedAt: Date.parse(each.LastModified ?? ''),
        });
      }
      for (const each of (page.CommonPrefixes ?? []) as Record<string, string>[]) {
        found.folders.push(keyOf(each.Prefix));
      }
      token = page.IsTruncated === 'true' ? String(page.NextContinuationToken) : undefined;
    } while (token && !(options.limit && found.objects.length + found.folders.length >= options.limit));
    return found;
  }

  get #bucket(): string {
    return /^s3:\/\/([^/]+)/.exec(this.name)![1]!;
  }

  #multipart(
    key: string,
    size: number,
    exclusive: boolean,
    read: (start: number, end: number) => Promise<Bytes>,
  ): Promise<boolean> {
    return this.#parts(key, size, exclusive, async (query, start, end) =>
      this.requests.send(
        { method: 'PUT', key, query, body: await read(start, end) },
        async (response) => response.headers.get('etag') ?? '',
      ),
    );
  }

  /** @param send sends one part and returns its ETag */
  async #parts(
    key: string,
    size: number,
    exclusive: boolean,
    send: (query: Record<string, string>, start: number, end: number) => Promise<string>,
  ): Promise<boolean> {
    const uploadId = await this.requests.send(
      { method: 'POST', key, query: { uploads: '' } },
      async (response) => String((await this.requests.xml(response)).UploadId),
    );
    try {
      const length = Math.max(PART_SIZE, Math.ceil(size / MAX_PARTS));
      const etags: string[] = new Array(Math.ceil(size / length));
      let next = 0;
      const work = async () => {
        while (next < etags.length) {
          const part = next++;
          const [start, end] = [part * length, Math.min(size, (part + 1) * length)];
          etags[part] = await send({ partNumber: String(part + 1), uploadId }, start, end);
        }
      };
      await Promise.all(Array.from({ length: PARTS_AT_ONCE }, work));
      const parts = etags.map(
        (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
      );
      const body = new TextEncoder().encode(
        `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
      );
      const done = await this.requests.send(
        { method: 'POST', key, query: { uploadId }, body, ...onlyIfFree(exclusive) },
        async (response) => {
          // Completing may fail after the head: then its body is an error.
          const answer = await this.requests.xml(response);
          if (response.ok && answer.Code !== undefined) throw new Error(`${answer.Code}: ${answer.Message}`);
          return response.ok;
        },
      );
      if (!done) await this.#abort(key, uploadId);
      return done;
    } catch (error) {
      // The bucket's own rules delete what stays after a failure here.
      await this.#abort(key, uploadId).catch(() => {});
      throw error;
    }
  }

  #abort(key: string, uploadId: string): Promise<void> {
    return this.requests.send(
      { method: 'DELETE', key, query: { uploadId }, accept: [404] },
      async (response) => {
        await response.body?.cancel();
      },
    );
  }
}

const rangeOf = (start: number, end: number): string =>
  `bytes=${start}-${Number.isFinite(end) ? end - 1 : ''}`;

/** 412: the key is taken. 409: another writer of the key was faster. */
const onlyIfFree = (exclusive: boolean) =>
  exclusive ? { headers: { 'if-none-match': '*' }, accept: [409, 412] } : {};

function objectInfo(key: string, headers: Headers): S3Object {
  return {
    key,
    size: Number(headers.get('content-length')),
    etag: headers.get('etag') ?? '',
    modifiedAt: Date.parse(headers.get('last-modified') ?? ''),
  };
}
