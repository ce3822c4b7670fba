import type { WorkflowFiles } from './workflow-files.ts';

/** The same files for one answer that needs the same lists many times: each folder is listed once. */
export function listedOnce(files: WorkflowFiles): WorkflowFiles {
  const lists = new Map<string, Promise<string[]>>();
  const once = async (key: string, list: () => Promise<string[]>) => {
    const found = lists.get(key) ?? list();
    lists.set(key, found);
    return [...(await found)];
  };
  return {
    names: (folder, deep = false) => once(`${folder} ${deep}`, () => files.names(folder, deep)),
    models: (folder) => once(`models/${folder}`, () => files.models(folder)),
    find: (name, folder) => files.find(name, folder),
    read: (path) => files.read(path),
    digest: (path) => files.digest(path),
    target: (prefix, folder, size) => files.target(prefix, folder, size),
    save: (target, folder, index, extension, bytes) => files.save(target, folder, index, extension, bytes),
  };
}
