// Writes the modules of `core/webhooks/sandbox/python/library/` into `core/webhooks/sandbox/python/library.json`, in
// the order in which they import each other. The file is not in the repository.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeIfChanged } from './write-if-changed.mjs';

const MODULES = ['records', 'scope', 'loop', 'run'];

const inPython = (path) => fileURLToPath(new URL(`../core/webhooks/sandbox/python/${path}`, import.meta.url));

/** Writes the file. */
export default function makePythonLibrary() {
  const modules = MODULES.map((name) => ({
    name,
    source: readFileSync(inPython(`library/${name}.py`), 'utf8'),
  }));
  writeIfChanged(inPython('library.json'), { modules });
}
