import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FileSource } from '#core/host';
import { FILE_LIST, siteFiles, siteFolder } from '#core/local-models';

/**
 * Models that belong to the page, read from its folder. `app`: that folder, or undefined if the page is not
 * built.
 */
export function siteSource(app: () => string | undefined): FileSource {
  return {
    name: 'this package',
    scheme: 'site',
    async locate(uri) {
      const model = siteFolder(uri);
      const home = app();
      if (model === undefined || home === undefined) return undefined;
      const folder = join(home, 'weights', model);
      const list = await readFile(join(folder, FILE_LIST), 'utf8').catch(() => undefined);
      if (list === undefined) return undefined;
      return siteFiles(JSON.parse(list), (path) => ({
        open: async (offset) =>
          Readable.toWeb(
            createReadStream(join(folder, path), { start: offset }),
          ) as ReadableStream<Uint8Array>,
      }));
    },
  };
}
