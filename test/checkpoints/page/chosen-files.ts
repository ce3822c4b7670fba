import type { FileInfo, FilePath } from '#core/host';
import { MemoryFiles } from '#workers/host/files/memory-files.ts';

/** Files in memory, and files of this computer that are read by ranges. */
export class ChosenFiles extends MemoryFiles {
  readonly #chosen = new Map<FilePath, File>();

  /** Shows a file of this computer at a path. */
  async add(path: FilePath, file: File): Promise<void> {
    await this.write(path, new Uint8Array());
    this.#chosen.set(path, file);
  }

  override async stat(path: FilePath): Promise<FileInfo | undefined> {
    const info = await super.stat(path);
    const chosen = this.#chosen.get(path);
    return info && chosen ? { ...info, size: chosen.size } : info;
  }

  override async read(path: FilePath, start?: number, end?: number): Promise<Uint8Array<ArrayBuffer>> {
    if (!this.#chosen.has(path)) return super.read(path, start, end);
    return new Uint8Array(await (await this.body(path, start, end)).arrayBuffer());
  }

  override async body(path: FilePath, start?: number, end?: number): Promise<Blob> {
    const chosen = this.#chosen.get(path);
    if (!chosen) return super.body(path, start, end);
    return start === undefined && end === undefined ? chosen : chosen.slice(start, end);
  }
}
