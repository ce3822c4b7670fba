/**
 * A file that reports how much of it has been read. It has the members of a Blob that wllama uses.
 * @param onProgress receives a fraction from 0 to 1
 */
function withReadProgress(file: Blob, onProgress: (fraction: number) => void): Blob {
  let readBytes = 0;
  const count = (bytes: number) => {
    readBytes += bytes;
    onProgress(Math.min(1, readBytes / file.size));
  };
  return {
    size: file.size,
    type: file.type,
    slice(start = 0, end = file.size) {
      count(Math.min(end, file.size) - start);
      return file.slice(start, end);
    },
    stream: () =>
      file.stream().pipeThrough(
        new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
          transform(chunk, controller) {
            count(chunk.byteLength);
            controller.enqueue(chunk);
          },
        }),
      ),
    arrayBuffer: () => file.arrayBuffer(),
    text: () => file.text(),
    bytes: () => file.bytes(),
  } as Blob;
}

/** The parts of a model, with `onProgress` called with the fraction of all bytes that were read. */
export function withSharedProgress(files: readonly Blob[], onProgress: (fraction: number) => void): Blob[] {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const readBytes = files.map(() => 0);
  return files.map((file, index) =>
    withReadProgress(file, (fraction) => {
      readBytes[index] = fraction * file.size;
      onProgress(readBytes.reduce((sum, bytes) => sum + bytes, 0) / total);
    }),
  );
}
