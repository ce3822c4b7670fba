import { dirname, join, resolve } from 'node:path';
import type { OpenMessage, PreparedRuntime } from '#core/tensors';

/**
 * The options with which onnxruntime maps data files into memory, where the operating system shares and drops them.
 * Undefined when the files do not lie in one folder under the names that the graph uses.
 */
export function mappedFolder(data: OpenMessage<string>['data']): PreparedRuntime['mapping'] {
  const [first] = data;
  if (!first) return undefined;
  const folder = dirname(resolve(first.file));
  if (data.some(({ name, file }) => join(folder, name) !== resolve(file))) return undefined;
  return { extra: { session: { model_external_initializers_file_folder_path: folder } } };
}
