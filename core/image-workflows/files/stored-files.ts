import { createSHA256 } from 'hash-wasm';
import type { Files, Host } from '#core/host';
import { isModelFile, modelFolder, modelPathOf } from './model-folders.ts';
import { joinPath, relativePath, splitAnnotation } from './paths.ts';
import type { FolderName, ImageReference, SaveTarget, WorkflowFiles } from './workflow-files.ts';

/** Replaced for each picture, not when the target is looked for. */
const BATCH = '%batch_num%';

/** Bytes that are held to be hashed: files may be larger than memory. */
const PIECE = 64 * 2 ** 20;

/** The folders of document 2 in the host's tree of files. */
export class StoredFiles implements WorkflowFiles {
  readonly #files: Files;
  constructor(private readonly host: Host) {
    this.#files = host.files;
  }

  names(folder: FolderName, deep = false): Promise<string[]> {
    return this.#names(folder, deep);
  }

  async models(folder: string): Promise<string[]> {
    const known = modelFolder(folder);
    if (known === undefined) return [];
    return (await this.#names(`models/${known}`, true)).filter(isModelFile);
  }

  async find(
    name: string,
    folder: FolderName = 'input',
  ): Promise<{ path: string; folder: FolderName } | undefined> {
    const wanted = splitAnnotation(name);
    const inside = relativePath(wanted.name);
    if (!inside) return undefined;
    const place = wanted.folder ?? folder;
    const path = `${place}/${inside}`;
    return (await this.#files.stat(path))?.kind === 'file' ? { path, folder: place } : undefined;
  }

  read(path: string): Promise<Uint8Array<ArrayBuffer>> {
    return this.#files.read(path);
  }

  async digest(path: string): Promise<string> {
    const hash = (await createSHA256()).init();
    for (let start = 0; ; start += PIECE) {
      const piece = await this.#files.read(path, start, start + PIECE);
      hash.update(piece);
      if (piece.length < PIECE) return hash.digest('hex');
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
    return { name, subfolder, counter: await this.#counter(joinPath(folder, subfolder), name) };
  }

  async save(
    { name, subfolder, counter }: SaveTarget,
    folder: FolderName,
    index: number,
    extension: string,
    bytes: Uint8Array,
  ): Promise<ImageReference> {
    const number = String(counter + index).padStart(5, '0');
    const filename = `${name.replaceAll(BATCH, String(index))}_${number}_.${extension}`;
    await this.#files.write(joinPath(folder, subfolder, filename), bytes);
    return { filename, subfolder, type: folder };
  }

  /**
   * One more than the highest number in use, in a folder that is there from now on. Names that models have among which this
   * folder is seen count, too: one of the same name would be hidden by them.
   */
  async #counter(folder: string, name: string): Promise<number> {
    const others = await this.#files.names(folder);
    if (!others) await this.#files.makeFolder(folder);
    const seen = modelPathOf(folder);
    const models = seen === undefined ? undefined : await this.#files.names(seen);
    let highest = 0;
    const start = `${name}_`;
    for (const other of [...(others ?? []), ...(models ?? [])]) {
      if (!other.startsWith(start)) continue;
      const digits = /^\d+/.exec(other.slice(start.length))?.[0];
      if (digits !== undefined && /^(_|$)/.test(other.slice(start.length + digits.length)))
        highest = Math.max(highest, Number(digits));
    }
    return highest + 1;
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

function fillTokens(prefix: string, { width, height }: { width: number; height: number }, now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const tokens: Record<string, string> = {
    width: String(width),
    height: String(height),
    year: String(now.getFullYear()),
    month: two(now.getMonth() + 1),
    day: two(now.getDate()),
    hour: two(now.getHours()),
    minute: two(now.getMinutes()),
    second: two(now.getSeconds()),
  };
  return prefix.replace(
    /%(width|height|year|month|day|hour|minute|second)%/g,
    (_, name) => tokens[name as string]!,
  );
}
