import type { ModelFile, ModelFormat } from '#core/host';
import { voiceOfPath } from '#core/local-models/base/voice-files.ts';

/** The role of a repository's file in a model, by its path. */
export function roleOfPath(path: string): ModelFile['role'] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/\.onnx[._]data(_\d+)?$/.test(name) || voiceOfPath(path) !== undefined) return 'part';
  if (name === 'tokenizer.json') return 'tokenizer';
  if (name.endsWith('.json')) return 'config';
  return 'weights';
}

/** Whether a path is that of a file of weights for image workflows. */
export const isImageWeights = (path: string): boolean => /\.(safetensors|sft)$/i.test(path);

/** The format of a model, by the roles and names of its files. Files without names are GGUF. */
export function modelFormatOf(files: Pick<ModelFile, 'role' | 'name'>[]): ModelFormat {
  if (files.some(({ role }) => role === 'library')) return 'mlc';
  if (files.some(({ name }) => name === 'model_index.json')) return 'diffusers';
  const weights = files.find(({ role }) => role === 'weights');
  if (weights?.name !== undefined && isImageWeights(weights.name)) return 'safetensors';
  return weights?.name?.endsWith('.onnx') ? 'onnx' : 'gguf';
}
