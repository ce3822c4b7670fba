// Creates the list of a model's files, by which clients download the model from a site.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Writes `files.json` into `folder`: `[{ path, size, digest }]`, sorted by path. */
export function writeFileList(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'files.json')
    .map(({ parentPath, name }) => {
      const bytes = readFileSync(join(parentPath, name));
      const path = relative(folder, join(parentPath, name)).replaceAll('\\', '/');
      return {
        path,
        size: bytes.length,
        digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
      };
    });
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  writeFileSync(join(folder, 'files.json'), JSON.stringify(files));
}
