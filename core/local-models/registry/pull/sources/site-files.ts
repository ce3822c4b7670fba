import type { LocatedFile } from '#core/host';
import { chooseDiffusers } from './choose-diffusers.ts';
import type { RepositoryFile } from './choose-gguf.ts';

/** Name of the list of a model's files that lies beside them: `[{ path, size, digest }]`. */
export const FILE_LIST = 'files.json';

/** The folder of `site:NAME`, a model that comes with the page; undefined for other addresses. */
export function siteFolder(uri: string): string | undefined {
  return /^site:([\w-]+)$/.exec(uri)?.[1];
}

/** The files of a model that comes with the page, each read by `open`. `list`: what its list says, parsed. */
export function siteFiles(
  list: unknown,
  open: (path: string, known: { size: number; digest: `sha256:${string}` }) => Pick<LocatedFile, 'open'>,
): LocatedFile[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return chooseDiffusers(list as RepositoryFile[])?.map(({ role, path, file }) => {
    const known = { size: file.size!, digest: file.digest! };
    return { ...open(path, known), ...known, role, name: path, path };
  });
}
