import { voiceOfPath } from '#core/local-models/base/voice-files.ts';
import { chooseOnnx } from './choose-onnx.ts';
import type { ChosenFile, RepositoryFile } from './repository-file.ts';

/**
 * The files of a model that speaks in a repository: a graph with its external data, the tokenizer, settings, and the
 * voices that speak English. Undefined: there is no such model.
 * @param requested the graph's path, or the tag of its precision
 */
export function chooseVoices(
  files: RepositoryFile[],
  requested: { tag?: string | undefined; path?: string | undefined },
): ChosenFile[] | undefined {
  const voices = files.filter(({ path }) => voiceOfPath(path) !== undefined);
  if (voices.length === 0) return undefined;
  const model = chooseOnnx(files, requested);
  return model && [...model, ...voices.map((file) => ({ role: 'part' as const, path: file.path, file }))];
}
