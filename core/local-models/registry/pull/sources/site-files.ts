import type { BlobInfo, LocatedFile } from '#core/host';
import { chooseDiffusers } from './choose-diffusers.ts';
import type { RepositoryFile } from './repository-file.ts';

/** The name of the list of a model's files, in the same folder: `[{ path, size, digest }]`. */
export const FILE_LIST = 'files.json';

/** The folder of `site:NAME`, a model that comes with the page. Undefined: another address. */
export function siteFolder(uri: string): string | undefined {
  return /^site:([\w-]+)$/.exec(uri)?.[1];
}

/**
 * The files of a model that comes with the page. Undefined: the list is none, or not of an image model.
 * @param list the parsed content of `FILE_LIST`
 * @param open returns the function that reads a file
 */
export function siteFiles(
  list: unknown,
  open: (path: string, info: BlobInfo) => Pick<LocatedFile, 'open'>,
): LocatedFile[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return chooseDiffusers(list as RepositoryFile[])?.map(({ role, path, file }) => {
    const info = { size: file.size!, digest: file.digest! };
    return { ...open(file.path, info), ...info, role, name: file.path, path: path ?? file.path };
  });
}
