import type { FileInfo, FilePath, Files } from '#core/host';

/**
 * The files in a folder. Undefined when there is no such folder.
 * @param options `deep` adds the files of subfolders; `withFolders` adds the folders themselves, before their content
 */
export async function filesBelow(
  files: Files,
  folder: FilePath,
  options: { deep: boolean; withFolders?: boolean },
): Promise<FileInfo[] | undefined> {
  const children = await files.list(folder);
  if (!children) return undefined;
  const found: FileInfo[] = [];
  for (const info of children) {
    if (info.kind === 'file' || options.withFolders) found.push(info);
    if (info.kind === 'folder' && options.deep)
      found.push(...((await filesBelow(files, info.path, options)) ?? []));
  }
  return found;
}
