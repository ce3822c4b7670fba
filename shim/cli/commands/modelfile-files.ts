import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../../base/usage-error.ts';
import { partPaths } from '../part-paths.ts';

export interface NamedFile {
  /** The name in the create request: relative to the folder that the Modelfile names. */
  name: string;
  /** The absolute path of the file. */
  path: string;
}

/**
 * The files that FROM or ADAPTER names: one file with its other parts, or the model in a folder. Undefined if the
 * source is a model's name.
 *
 * @throws UsageError if the source can only be a path, and does not exist
 */
export async function filesAt(source: string, folder: string): Promise<NamedFile[] | undefined> {
  const path = resolve(
    folder,
    source.replace(/^~(?=$|[\\/])/, () => homedir()),
  );
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return filesIn(path);
  if (found) return (await partPaths(path)).map((part) => ({ name: basename(part), path: part }));
  if (/^[~.]?[\\/]|^\.\.[\\/]|^[a-z]:[\\/]|\.(gguf|safetensors|bin)$/i.test(source)) {
    throw new UsageError(`FROM ${source}: there is no file ${path}`);
  }
  return undefined;
}

/** Patterns of weights. The first pattern with a match decides which files are used. */
const WEIGHTS = [
  /^model.*\.safetensors$/,
  /^consolidated.*\.safetensors$/,
  /^adapter.*\.safetensors$/,
  /^pytorch_model.*\.bin$/,
  /^consolidated.*\.pth$/,
  /\.gguf$/,
];
/** Further files of a model whose weights are not GGUF. */
const COMPANION_FILES = /\.json$|^tokenizer\.model$/;

async function filesIn(folder: string): Promise<NamedFile[]> {
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .sort();
  const pattern = WEIGHTS.find((each) => names.some((name) => each.test(name)));
  if (!pattern) {
    throw new UsageError(
      `no Modelfile or safetensors files found: ${folder} holds no .gguf or .safetensors file`,
    );
  }
  const weights = names.filter((name) => pattern.test(name));
  const companions = pattern.source.includes('gguf')
    ? []
    : names.filter((name) => COMPANION_FILES.test(name));
  return [...weights, ...companions].map((name) => ({ name, path: join(folder, name) }));
}
