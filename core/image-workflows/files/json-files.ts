import { Mutex } from '#core/base';
import type { FilePath, Files } from '#core/host';
import { pythonValueJson } from '../python/python-json.ts';
import { isPythonObject, type PythonObject, parsePythonJson } from '../python/python-value.ts';

/** Small JSON files that hold one object each, such as a user's settings. */
export class JsonFiles {
  readonly #mutex = new Mutex();
  constructor(private readonly files: Files) {}

  /** Reads the object in a JSON file. It is empty if there is no such file, or if the file has no object. */
  async read(path: FilePath): Promise<PythonObject> {
    if ((await this.files.stat(path))?.kind !== 'file') return new Map();
    try {
      const value = parsePythonJson(new TextDecoder().decode(await this.files.read(path)));
      return isPythonObject(value) ? value : new Map();
    } catch {
      return new Map();
    }
  }

  /** Replaces the object by what `change` returns. Changes run one at a time, so that none is lost. */
  update(path: FilePath, change: (object: PythonObject) => PythonObject): Promise<void> {
    return this.#mutex.run(async () => {
      const changed = change(await this.read(path));
      await this.files.write(path, new TextEncoder().encode(pythonValueJson(changed)));
    });
  }
}
