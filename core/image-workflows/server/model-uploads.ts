import { Mutex } from '#core/base';
import type { FileWriter, Host } from '#core/host';
import { ApiError } from '#core/http';

interface Upload {
  path: string;
  /** Bytes of the complete file. */
  size: number;
  /** Bytes from the beginning that have arrived. */
  written: number;
  writer: FileWriter;
  /** The pieces of a file are written one after another. */
  mutex: Mutex;
  /** Milliseconds since 1970. */
  usedAt: number;
}

/** Milliseconds after which an upload that receives nothing counts as given up. */
const ABANDONED_AFTER = 3_600_000;

const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(2);

/** Files of models that arrive in pieces. Each appears in its folder when it is complete. */
export class ModelUploads {
  readonly #uploads = new Map<string, Upload>();

  constructor(private readonly host: Host) {}

  /**
   * Begins a file. Rejects with `ApiError`: 409 when there is a file of that name, 507 when the space is too small.
   * @param path such as `models/loras/x.safetensors`
   * @returns the name of the upload
   */
  async begin(path: string, size: number): Promise<string> {
    await this.#endAbandoned();
    const { files, blobs } = this.host;
    const isArriving = [...this.#uploads.values()].some((upload) => upload.path === path);
    if (isArriving) throw new ApiError(409, `${path} is being added already`);
    if (await files.stat(path))
      throw new ApiError(
        409,
        `there is a file ${path} already: rename the new one, or delete the other first`,
      );
    const free = await blobs.freeSpace();
    if (free !== undefined && free < size)
      throw new ApiError(
        507,
        `not enough space for ${path}: ${gigabytes(size)} GB are needed and ${gigabytes(free)} GB are free. Delete a model or other files and add it again`,
      );
    const id = crypto.randomUUID();
    const writer = await files.create(path);
    const usedAt = this.host.clock.now();
    this.#uploads.set(id, { path, size, written: 0, writer, mutex: new Mutex(), usedAt });
    return id;
  }

  /**
   * Adds a piece. A piece that arrives again is ignored, so that a client may repeat it after a lost answer.
   * Rejects with `ApiError`: 404 for an unknown upload, 409 when bytes before the piece are missing.
   * @returns bytes from the beginning that have arrived
   */
  async write(id: string, start: number, bytes: Uint8Array): Promise<number> {
    const upload = this.#find(id);
    return upload.mutex.run(async () => {
      upload.usedAt = this.host.clock.now();
      if (start + bytes.length <= upload.written) return upload.written;
      if (start !== upload.written || start + bytes.length > upload.size)
        throw new ApiError(409, `a piece at ${upload.written} is expected, not one at ${start}`);
      await upload.writer.write(start, bytes);
      upload.written += bytes.length;
      return upload.written;
    });
  }

  /**
   * Puts the complete file into its folder. Rejects with `ApiError`: 404 for an unknown upload, 409 when bytes are
   * missing.
   * @returns the path of the file
   */
  async finish(id: string): Promise<string> {
    const { path, size, written, writer } = this.#find(id);
    if (written !== size) throw new ApiError(409, `${written} of ${size} bytes have arrived`);
    await writer.close();
    this.#uploads.delete(id);
    return path;
  }

  /** Deletes the bytes of an upload. Does nothing when there is none of that name. */
  async cancel(id: string): Promise<void> {
    const upload = this.#uploads.get(id);
    this.#uploads.delete(id);
    await upload?.writer.abort();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#uploads.keys()].map((id) => this.cancel(id)));
  }

  #find(id: string): Upload {
    const upload = this.#uploads.get(id);
    if (!upload)
      throw new ApiError(404, 'this upload is unknown: the server may have restarted. Add the file again');
    return upload;
  }

  async #endAbandoned(): Promise<void> {
    const now = this.host.clock.now();
    for (const [id, { usedAt }] of this.#uploads) if (now - usedAt > ABANDONED_AFTER) await this.cancel(id);
  }
}
