/** Fingerprints of model files: a file may be replaced by another one of the same name. */
import type { FileInfo, FilePath, Files, Host } from '#core/host';
import type { NodeContext } from '../kernel/node-context.ts';

/** Levels of folders below a model: its own folder, and those of its parts. */
const LEVELS = 2;

/**
 * `fingerprint` of nodes whose `inputs` name models of a folder. It contains path, size and time of each file.
 * @param others Choices that are no models, and have no files.
 */
export const modelFingerprint =
  (folder: string, inputs: readonly string[], others: readonly string[] = []) =>
  async (values: object, { host }: Pick<NodeContext, 'host'>): Promise<string | undefined> => {
    const names = inputs
      .map((input) => (values as Record<string, unknown>)[input])
      .filter((name): name is string => typeof name === 'string' && !others.includes(name));
    return fingerprintOf(
      host,
      names.map((name) => `models/${folder}/${name}`),
    );
  };

/** Path, size and time of the files at these paths. Undefined when one is missing. */
export async function fingerprintOf(host: Host, paths: readonly FilePath[]): Promise<string | undefined> {
  const stamps = await Promise.all(paths.map((path) => stampOf(host, path)));
  return stamps.includes(undefined) ? undefined : stamps.join('\n');
}

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
