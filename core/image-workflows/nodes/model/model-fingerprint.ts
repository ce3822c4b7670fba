/** What results of models depend on beside their names: the files of those names may be replaced by others. */
import type { FileInfo, FilePath, Files, Host } from '#core/host';
import type { NodeContext } from '../kernel/node-context.ts';

/** A model's own folder, and those of its parts. */
const LEVELS = 2;

/** `fingerprint` of nodes that read the models of a folder which `inputs` name. Names that are no models have none. */
export const modelFingerprint =
  (folder: string, inputs: readonly string[], others: readonly string[] = []) =>
  async (values: object, { host }: Pick<NodeContext, 'host'>): Promise<string | undefined> => {
    const prints: string[] = [];
    for (const input of inputs) {
      const name: unknown = (values as Record<string, unknown>)[input];
      if (typeof name !== 'string' || others.includes(name)) continue;
      const print = await stampOf(host, `models/${folder}/${name}`);
      if (print === undefined) return undefined;
      prints.push(print);
    }
    return prints.join('\n');
  };

async function stampOf({ files }: Host, path: FilePath): Promise<string | undefined> {
  const info = await files.stat(path);
  if (!info) return undefined;
  const found = info.kind === 'file' ? [info] : await filesIn(files, path, LEVELS);
  return found
    .map((file) => `${file.path} ${file.size} ${file.modifiedAt}`)
    .sort()
    .join('\n');
}

async function filesIn(files: Files, folder: FilePath, levels: number): Promise<FileInfo[]> {
  if (levels === 0) return [];
  const found = (await files.list(folder)) ?? [];
  const below = found.map(async (info) =>
    info.kind === 'file' ? [info] : filesIn(files, info.path, levels - 1),
  );
  return (await Promise.all(below)).flat();
}
