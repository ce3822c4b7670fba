import type { ModelFile } from '#core/host';
import { roleOfPath } from '../../formats/file-roles.ts';
import type { RepositoryFile } from './choose-gguf.ts';

export interface ChosenFile {
  role: ModelFile['role'];
  /** Inside the repository, as the model is to know it. */
  path: string;
  file: RepositoryFile;
}

/** Endings of graphs by what is asked for: `model_quantized.onnx` is the one of 8 bits. */
const ENDINGS: Record<string, string> = {
  q8: 'quantized',
  int8: 'quantized',
  fp32: '',
  f32: '',
  f16: 'fp16',
};
/** The best first: whole precision costs these small models little. */
const USUAL = ['', 'fp16', 'quantized', 'q4'];
/** What is read beside the graph. */
const SETTINGS =
  /^(config|tokenizer_config|sentence_bert_config|modules|special_tokens_map)\.json$|^[^/]*_Pooling\/config\.json$/;

/**
 * The files of an ONNX model in a repository: the graph of the variant (or the path) that is asked for, its external
 * data, tokenizer and settings. Weights without a graph do where there is none. undefined: no such model.
 */
export function chooseOnnx(
  files: RepositoryFile[],
  wanted: { tag?: string | undefined; path?: string | undefined },
): ChosenFile[] | undefined {
  const tokenizer = files.find(({ path }) => path === 'tokenizer.json');
  if (!tokenizer) return undefined;
  const graph = wanted.path ? files.find(({ path }) => path === wanted.path) : graphOf(files, wanted.tag);
  const weights =
    graph ?? (wanted.path || wanted.tag ? undefined : files.find(({ path }) => path === 'model.safetensors'));
  if (!weights) return undefined;
  const beside = graph
    ? files.filter(({ path }) => roleOfPath(path) === 'part' && path.startsWith(graph.path))
    : [];
  const settings = files.filter(({ path }) => SETTINGS.test(path));
  return [weights, ...beside, tokenizer, ...settings].map((file) => ({
    role: file === weights ? 'weights' : roleOfPath(file.path),
    path: file.path,
    file,
  }));
}

function graphOf(files: RepositoryFile[], tag: string | undefined): RepositoryFile | undefined {
  const endings = tag === undefined ? USUAL : [ENDINGS[tag.toLowerCase()] ?? tag.toLowerCase()];
  for (const ending of endings) {
    const name = ending === '' ? 'model.onnx' : `model_${ending}.onnx`;
    const found =
      files.find(({ path }) => path === `onnx/${name}`) ?? files.find(({ path }) => path === name);
    if (found) return found;
  }
  return undefined;
}
