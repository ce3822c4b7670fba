import { BlobMissing, type Blobs, type Digest } from '#core/host';

/** Blobs that an engine can receive as files. */
export interface BrowserBlobs extends Blobs {
  /** The blob as a file that is read from disk. Rejects with `BlobMissing`. */
  fileOf(digest: Digest): Promise<Blob>;
}

/**
 * A stream of a blob's bytes [start, end). It looks for the file when it is first read, and fails with `BlobMissing` if the
 * file is gone.
 */
export function streamBlob(
  digest: Digest,
  find: (digest: Digest) => Promise<Blob>,
  start = 0,
  end?: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          if (!reader) {
            const file = await find(digest);
            reader = file
              .slice(start, end ?? file.size)
              .stream()
              .getReader();
          }
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // Browsers report a file that was deleted during the read by these names.
          const isGone = error instanceof DOMException && /NotFound|NotReadable/.test(error.name);
          controller.error(isGone ? new BlobMissing(digest) : error);
        }
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
