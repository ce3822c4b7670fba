import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type ApiClient, failureOf } from '../client/api-client.ts';
import type { Progress } from '../progress.ts';

export interface BlobFile {
  path: string;
  size: number;
  digest: `sha256:${string}`;
}

type OnProgress = (step: Progress) => void;

/** Computes the file's SHA-256. Rejects when the file cannot be read, and with the signal's reason. */
export async function hashFile(path: string, signal: AbortSignal, onProgress: OnProgress): Promise<BlobFile> {
  const { size } = await stat(path);
  const hash = createHash('sha256');
  let completed = 0;
  for await (const chunk of createReadStream(path, {
    signal,
    highWaterMark: CHUNK,
  }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    completed += chunk.byteLength;
    onProgress({ status: 'reading', digest: path, total: size, completed });
  }
  return { path, size, digest: `sha256:${hash.digest('hex')}` };
}

/** Uploads the file unless the server has it. The file is streamed, so an upload of any size needs little memory. */
export async function sendBlob(client: ApiClient, file: BlobFile, onProgress: OnProgress): Promise<void> {
  const path = `/api/blobs/${file.digest}`;
  const existing = await client.send(path, { method: 'HEAD', signal: client.signal });
  await existing.body?.cancel();
  if (existing.status === 200) return;

  const response = await client.send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: streamOf(file, client.signal, onProgress),
    duplex: 'half',
    signal: client.signal,
  } as RequestInit);
  if (response.status >= 400) throw await failureOf(response);
  await response.body?.cancel();
}

const CHUNK = 256 * 1024;

function streamOf(
  { path, size, digest }: BlobFile,
  signal: AbortSignal,
  onProgress: OnProgress,
): ReadableStream<Uint8Array> {
  const reading = createReadStream(path, { signal, highWaterMark: CHUNK });
  const chunks = reading[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let completed = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) return controller.close();
        completed += value.byteLength;
        onProgress({ status: `copying ${digest.slice(7, 19)}`, digest, total: size, completed });
        controller.enqueue(value);
      },
      cancel() {
        reading.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
