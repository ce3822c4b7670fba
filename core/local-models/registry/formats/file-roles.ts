import type { ModelFile, ModelFormat } from '#core/host';

/** What a file of a repository is to the model, told by its path. */
export function roleOfPath(path: string): ModelFile['role'] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/\.onnx[._]data(_\d+)?$/.test(name)) return 'part';
  if (name === 'tokenizer.json') return 'tokenizer';
  if (name.endsWith('.json')) return 'config';
  return 'weights';
}

/** The format that files are in, told by what is beside the weights and by their name; files without names are GGUF. */
export function formatOf(files: Pick<ModelFile, 'role' | 'name'>[]): ModelFormat {
  if (files.some(({ role }) => role === 'library')) return 'mlc';
  if (files.some(({ name }) => name === 'model_index.json')) return 'diffusers';
  const weights = files.find(({ role }) => role === 'weights');
  return weights?.name?.endsWith('.onnx') ? 'onnx' : 'gguf';
}
