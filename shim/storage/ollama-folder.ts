import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ModelFolder, ModelFolderEntry } from '#core/host';

/** Ollama's folder of models: `manifests/HOST/NAMESPACE/MODEL/TAG`. It is never written. */
export class OllamaFolder implements ModelFolder {
  readonly path: string;
  /** The folder of its blobs: `sha256-<hex>`. */
  readonly blobs: string;

  constructor(folder: string) {
    this.path = resolve(folder);
    this.blobs = join(this.path, 'blobs');
  }

  async list(): Promise<ModelFolderEntry[]> {
    const root = join(this.path, 'manifests');
    const names = (await readdir(root, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const entries = await Promise.all(
      names.map(async (path) => {
        const parts = path.slice(root.length + 1).split(/[/\\]/);
        const [host, namespace, model, tag] = parts as [string, string, string, string];
        // A manifest may be deleted while the folder is read.
        const found = parts.length === 4 ? await stat(path).catch(() => undefined) : undefined;
        return (
          found && {
            name: { host, namespace, model, tag },
            version: `${found.mtimeMs} ${found.size}`,
            modifiedAt: found.mtimeMs,
            read: () => readFile(path, 'utf8'),
          }
        );
      }),
    );
    return entries.filter((entry) => entry !== undefined);
  }
}
