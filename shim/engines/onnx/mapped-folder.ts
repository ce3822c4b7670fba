import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { OpenMessage, PreparedRuntime } from '#core/tensors';

type Mapping = Pick<PreparedRuntime, 'mapping' | 'mappedNames'>;

/**
 * The options with which onnxruntime maps data files into memory, where the operating system shares and drops them.
 * Empty for files in several folders. onnxruntime refuses links that lead out of a folder. Their targets are mapped
 * instead, where they lie in one folder. Pulled files, too, have other names than in the graph.
 */
export function mappedFolder(data: OpenMessage<string>['data']): Mapping {
  const [first] = data;
  if (!first) return {};
  const folder = dirname(resolve(first.file));
  const isNamedAlike = data.every(({ name, file }) => join(folder, name) === resolve(file));
  const targets = targetsOf([folder, ...data.map(({ file }) => file)]);
  const [realFolder, ...files] = targets ?? [];
  if (realFolder === undefined) return {};
  const isInside = files.every((file) => !/^\.\.([/\\]|$)/.test(relative(realFolder, file)));
  if (isNamedAlike && isInside) return mapping(folder);
  const place = dirname(files[0]!);
  if (files.some((file) => dirname(file) !== place)) return {};
  return {
    ...mapping(place),
    mappedNames: new Map(data.map(({ name }, index) => [name, basename(files[index]!)])),
  };
}

const mapping = (folder: string): Mapping => ({
  mapping: { extra: { session: { model_external_initializers_file_folder_path: folder } } },
});

/** The paths without links. Undefined when a file is missing: reading it gives the error that says so. */
function targetsOf(paths: readonly string[]): string[] | undefined {
  try {
    return paths.map((path) => realpathSync(path));
  } catch {
    return undefined;
  }
}
