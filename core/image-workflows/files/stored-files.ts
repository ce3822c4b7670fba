import { createSHA256 } from 'hash-wasm';
import type { Files, Host } from '#core/host';
import { isListedFile, modelFolder, modelPathOf } from './model-folders.ts';
import { joinPath, relativePath, splitAnnotation } from './paths.ts';
import type { FolderName, ImageReference, SaveTarget, WorkflowFiles } from './workflow-files.ts';

/** A token that each file of a batch replaces by its index. */
const BATCH_NUMBER = '%batch_num%';

/** Bytes that are hashed at a time, because files may be larger than memory. */
const HASH_PIECE = 64 * 2 ** 20;

/** The folders of ComfyUI's API in the host's file tree. */
export class StoredFiles implements WorkflowFiles {
  readonly #files: Files;

  /** @param numberFor in a cluster: gives a number for a new file, at least `lowest`, that no other process gets */
  constructor(
    private readonly host: Host,
    private readonly numberFor?: (prefix: string, lowest: number) => Promise<number>,
  ) {
    this.#files = host.files;
  }

  names(folder: FolderName, deep = false): Promise<string[]> {
    return this.#names(folder, deep);
  }

  async models(folder: string): Promise<string[]> {
    const kind = modelFolder(folder, this.host.modelPlaces);
    if (kind === undefined) return [];
    return (await this.#names(`models/${kind}`, true)).filter((name) => isListedFile(kind, name));
  }

  async find(
    name: string,
    folder: FolderName = 'input',
  ): Promise<{ path: string; folder: FolderName } | undefined> {
    const annotated = splitAnnotation(name);
    const relative = relativePath(annotated.name);
    if (!relative) return undefined;
    const actualFolder = annotated.folder ?? folder;
    const path = `${actualFolder}/${relative}`;
    return (await this.#files.stat(path))?.kind === 'file' ? { path, folder: actualFolder } : undefined;
  }

  read(path: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.#files.read(path);
  }

  async digest(path: string): Promise<string> {
    const hash = (await createSHA256()).init();
    for (let start = 0; ; start += HASH_PIECE) {
      const piece = await this.#files.read(path, start, start + HASH_PIECE);
      hash.update(piece);
      if (piece.length < HASH_PIECE) return hash.digest('hex');
    }
  }

  async target(prefix: string, folder: FolderName, size = { width: 0, height: 0 }): Promise<SaveTarget> {
    const filled = fillTokens(prefix, size, new Date(this.host.clock.now()));
    const path = relativePath(filled);
    if (path === undefined)
      throw new Error(
        `**** ERROR: Saving image outside the output folder is not allowed.\n filename_prefix: ${prefix}`,
      );
    const at = path.lastIndexOf('/');
    const subfolder = at < 0 ? '' : path.slice(0, at);
    const name = path.slice(at + 1) || '.';
    const place = joinPath(folder, subfolder);
    const free = await this.#counter(place, name);
    const counter = this.numberFor ? await this.numberFor(joinPath(place, name), free) : free;
    return { name, subfolder, counter };
  }

  async save(
    { name, subfolder, counter }: SaveTarget,
    folder: FolderName,
    index: number,
    extension: string,
    bytes: Uint8Array,
  ): Promise<ImageReference> {
    // In a cluster another process may have taken the further numbers of a batch.
    const exclusive = this.numberFor !== undefined;
    for (let taken = 0; ; taken++) {
      const number = String(counter + index + taken).padStart(5, '0');
      const filename = `${name.replaceAll(BATCH_NUMBER, String(index))}_${number}_.${extension}`;
      const path = joinPath(folder, subfolder, filename);
      if (await this.#files.write(path, bytes, { exclusive })) return { filename, subfolder, type: folder };
    }
  }

  /**
   * One more than the highest number in use. Creates the folder. In a folder of saved models the names of installed
   * models count too, because an installed model would hide a saved one of its name.
   */
  async #counter(folder: string, name: string): Promise<number> {
    const saved = await this.#files.names(folder);
    if (!saved) await this.#files.makeFolder(folder);
    const modelPath = modelPathOf(folder);
    const installed = modelPath === undefined ? undefined : await this.#files.names(modelPath);
    const numbers = [...(saved ?? []), ...(installed ?? [])].map((other) => numberOf(other, `${name}_`));
    return numbers.reduce((highest, number) => Math.max(highest, number), 0) + 1;
  }

  async #names(folder: string, deep: boolean, below = ''): Promise<string[]> {
    const names: string[] = [];
    for (const { path, kind } of (await this.#files.list(joinPath(folder, below))) ?? []) {
      const name = path.slice(folder.length + 1);
      if (kind === 'file') names.push(name);
      else if (deep) names.push(...(await this.#names(folder, true, name)));
    }
    return below === '' ? names.sort() : names;
  }
}

/** The digits between the prefix and the next `_` or the end. 0 for names of another form. */
function numberOf(filename: string, prefix: string): number {
  const digits = filename.startsWith(prefix) && /^(\d+)(_|$)/.exec(filename.slice(prefix.length));
  return digits ? Number(digits[1]) : 0;
}

function fillTokens(prefix: string, { width, height }: { width: number; height: number }, now: Date): string {
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  const tokens: Record<string, string> = {
    width: String(width),
    height: String(height),
    year: String(now.getFullYear()),
    month: twoDigits(now.getMonth() + 1),
    day: twoDigits(now.getDate()),
    hour: twoDigits(now.getHours()),
    minute: twoDigits(now.getMinutes()),
    second: twoDigits(now.getSeconds()),
  };
  return prefix.replace(
    /%(width|height|year|month|day|hour|minute|second)%/g,
    (_, name) => tokens[name as string]!,
  );
}
