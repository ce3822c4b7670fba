import { roleOfPath } from '../../formats/file-roles.ts';
import type { ChosenFile, RepositoryFile } from './repository-file.ts';

/** The endings of ONNX file names, by tag: `model_quantized.onnx` is the graph of 8 bits. */
const ENDINGS: Record<string, string> = {
  q8: 'quantized',
  int8: 'quantized',
  fp32: '',
  f32: '',
  f16: 'fp16',
};
/** The default order: full precision costs these small models little. */
export const DEFAULT_ENDINGS: readonly string[] = ['', 'fp16', 'quantized', 'q4'];
/** The ending of a file's name for a tag, in any case. */
export const endingOfTag = (tag: string): string => ENDINGS[tag.toLowerCase()] ?? tag.toLowerCase();

const SETTINGS =
  /^(config|tokenizer_config|sentence_bert_config|modules|special_tokens_map)\.json$|^[^/]*_Pooling\/config\.json$/;

/**
 * The files of an ONNX model in a repository: a graph with its external data, tokenizer and settings. Without a graph,
 * and when none was requested, the weights of a safetensors file take its place. Undefined: there is no such model.
 * @param requested the graph's path, or the tag of its precision
 */
export function chooseOnnx(
  files: RepositoryFile[],
  requested: { tag?: string | undefined; path?: string | undefined },
): ChosenFile[] | undefined {
  const { tag, path: graphPath } = requested;
  const tokenizer = files.find(({ path }) => path === 'tokenizer.json');
  if (!tokenizer) return undefined;
  const graph = graphPath ? files.find(({ path }) => path === graphPath) : findGraph(files, tag);
  const safetensors = graphPath || tag ? undefined : files.find(({ path }) => path === 'model.safetensors');
  const weights = graph ?? safetensors;
  if (!weights) return undefined;
  const externalData = graph
    ? files.filter(({ path }) => roleOfPath(path) === 'part' && path.startsWith(graph.path))
    : [];
  const settings = files.filter(({ path }) => SETTINGS.test(path));
  return [weights, ...externalData, tokenizer, ...settings].map((file) => ({
    role: file === weights ? 'weights' : roleOfPath(file.path),
    path: file.path,
    file,
  }));
}

function findGraph(files: RepositoryFile[], tag: string | undefined): RepositoryFile | undefined {
  const endings = tag === undefined ? DEFAULT_ENDINGS : [endingOfTag(tag)];
  for (const ending of endings) {
    const name = ending === '' ? 'model.onnx' : `model_${ending}.onnx`;
    const graph =
      files.find(({ path }) => path === `onnx/${name}`) ?? files.find(({ path }) => path === name);
    if (graph) return graph;
  }
  return undefined;
}
