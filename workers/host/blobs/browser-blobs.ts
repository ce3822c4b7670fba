import { BlobMissing, type Blobs, type Digest } from '#core/host';

/** Blobs that can be handed to an engine as files. */
export interface BrowserBlobs extends Blobs {
  /** The blob as a file that reads from the disk. Throws `BlobMissing`. */
  fileOf(digest: Digest): Promise<Blob>;
}

/** Bytes [start, end) of a file that is still to be found. */
export function readFile(
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
          // A file deleted while it is read ends like one that never was.
          const gone = error instanceof DOMException && /NotFound|NotReadable/.test(error.name);
          controller.error(gone ? new BlobMissing(digest) : error);
        }
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
