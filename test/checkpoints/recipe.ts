import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { FloatTensor } from '#core/image-workflows/values/tensor.ts';
import type { RecordedInput, RecordedInputs } from './recorded-numbers.ts';

/** Bytes that a command may print: network inputs have less. */
const MAX_OUTPUT = 2 ** 28;

/** Checkpoints and inputs by the recipe that came with the recordings. */
export class Recipe implements RecordedInputs {
  /**
   * @param folder with `recipe.py` and `manifests`
   * @param cache keeps checkpoints
   */
  constructor(
    private readonly folder: string,
    private readonly cache: string,
  ) {}

  /** The path of a family's checkpoint, which is made if it is missing. */
  checkpoint(name: string): string {
    const path = join(this.cache, `${name}.safetensors`);
    if (existsSync(path)) return path;
    mkdirSync(this.cache, { recursive: true });
    const manifest = join(this.folder, 'manifests', `${name}.json`);
    const unfinished = `${path}.part`;
    execFileSync('python3', [join(this.folder, 'recipe.py'), manifest, unfinished], { stdio: 'inherit' });
    renameSync(unfinished, path);
    return path;
  }

  async input({ key, shape, mean = 0, std = 1, clamp }: RecordedInput): Promise<FloatTensor> {
    const program = [
      'import sys, json, numpy',
      'sys.path.insert(0, sys.argv[1])',
      'import recipe',
      'key, shape, mean, std, clamp = json.loads(sys.argv[2])',
      'numbers = recipe.tensor(key, shape, mean, std)',
      'numbers = numbers if clamp is None else numpy.clip(numbers, *clamp)',
      "sys.stdout.buffer.write(numpy.asarray(numbers, dtype='<f4').tobytes())",
    ].join('\n');
    const options = JSON.stringify([key, shape, mean, std, clamp ?? null]);
    const bytes = execFileSync('python3', ['-c', program, this.folder, options], { maxBuffer: MAX_OUTPUT });
    return { shape, data: new Float32Array(Uint8Array.from(bytes).buffer) };
  }
}
