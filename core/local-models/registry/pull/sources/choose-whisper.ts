import { ENCODER_FILE, isWhisperGraph, MERGED_DECODER_FILE } from '#core/local-models/base/whisper-files.ts';
import { roleOfPath } from '../../formats/file-roles.ts';
import { DEFAULT_ENDINGS, endingOfTag } from './choose-onnx.ts';
import type { ChosenFile, RepositoryFile } from './repository-file.ts';

const SETTINGS = /^(config|generation_config|preprocessor_config|tokenizer_config)\.json$/;

/**
 * The files of a Whisper model in a repository: the graphs of encoder and decoder with their external data, tokenizer and
 * settings. Undefined: there is no such model.
 * @param requested the path of one of the graphs, or the tag of its precision. A graph that lacks it is taken in the
 *   usual one
 */
export function chooseWhisper(
  files: RepositoryFile[],
  requested: { tag?: string | undefined; path?: string | undefined },
): ChosenFile[] | undefined {
  const { tag, path } = requested;
  if (path !== undefined && !isWhisperGraph(path)) return undefined;
  const named = path === undefined ? undefined : /(_(?!model|merged)[^_]*)?\.onnx$/.exec(path)?.[1];
  const ending = tag === undefined ? named?.slice(1) : endingOfTag(tag);
  const find = (name: string, endings: readonly string[]) => {
    for (const each of endings) {
      const file = `${name}${each === '' ? '' : `_${each}`}.onnx`;
      const graph = files.find(({ path }) => path === `onnx/${file}` || path === file);
      if (graph) return graph;
    }
    return undefined;
  };
  if (ending !== undefined && ![ENCODER_FILE, MERGED_DECODER_FILE].some((name) => find(name, [ending])))
    return undefined;
  const endings = [...(ending === undefined ? [] : [ending]), ...DEFAULT_ENDINGS];
  const [encoder, decoder] = [find(ENCODER_FILE, endings), find(MERGED_DECODER_FILE, endings)];
  const tokenizer = files.find((file) => file.path === 'tokenizer.json');
  if (!encoder || !decoder || !tokenizer) return undefined;
  const graphs = [encoder, decoder];
  const externalData = files.filter(
    (file) => roleOfPath(file.path) === 'part' && graphs.some(({ path }) => file.path.startsWith(path)),
  );
  const settings = files.filter((file) => SETTINGS.test(file.path));
  return [...graphs, ...externalData, tokenizer, ...settings].map((file) => ({
    role: graphs.includes(file) ? 'weights' : roleOfPath(file.path),
    path: file.path,
    file,
  }));
}
