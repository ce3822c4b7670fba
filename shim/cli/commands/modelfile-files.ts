import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../../base/usage-error.ts';

export interface NamedFile {
  /** As a create request names it: relative to the folder that the Modelfile names. */
  name: string;
  /** Absolute. */
  path: string;
}

/**
 * The files that FROM or ADAPTER names: one, or the model in a folder. undefined = it is no path but a model's name.
 * Throws `UsageError` for what can only be a path and is not there.
 */
export async function filesAt(source: string, folder: string): Promise<NamedFile[] | undefined> {
  const path = resolve(
    folder,
    source.replace(/^~(?=$|[\\/])/, () => homedir()),
  );
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return filesIn(path);
  if (found) return [{ name: basename(path), path }];
  if (/^[~.]?[\\/]|^\.\.[\\/]|^[a-z]:[\\/]|\.(gguf|safetensors|bin)$/i.test(source)) {
    throw new UsageError(`FROM ${source}: there is no file ${path}`);
  }
  return undefined;
}

/** What makes a model, the first that is there. */
const WEIGHTS = [
  /^model.*\.safetensors$/,
  /^consolidated.*\.safetensors$/,
  /^adapter.*\.safetensors$/,
  /^pytorch_model.*\.bin$/,
  /^consolidated.*\.pth$/,
  /\.gguf$/,
];
/** What goes with weights that are no GGUF. */
const BESIDE = /\.json$|^tokenizer\.model$/;

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
  const beside = pattern.source.includes('gguf') ? [] : names.filter((name) => BESIDE.test(name));
  return [...weights, ...beside].map((name) => ({ name, path: join(folder, name) }));
}
