// Creates the files below `core/` that are made from other files and are not in the repository. `npm ci`, the
// build, the type check and the tests call it. Files that are up to date stay untouched.
import { fileURLToPath } from 'node:url';
import writeClipMerges from './clip-merges.mjs';
import makePythonLibrary from './python-library.mjs';
import makeSandboxLibrary from './sandbox-library.mjs';
import writeSpokenWords from './spoken-words.mjs';

/** Returns the folders of the packages whose code the files contain. */
export async function generateFiles() {
  makePythonLibrary();
  return [writeClipMerges(), await writeSpokenWords(), ...(await makeSandboxLibrary())];
}

/** The same as a set-up of Vitest, which takes no result. */
export default async function makeGeneratedFiles() {
  await generateFiles();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await makeGeneratedFiles().catch((error) => {
    // The packages are missing in an installation without development tools, which never builds from source.
    const isMissing = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND';
    if (process.env.npm_lifecycle_event === 'prepare' && isMissing) return;
    throw error;
  });
}
