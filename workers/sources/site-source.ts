import type { FileSource, Network } from '#core/host';
import { FILE_LIST, httpFile, siteFiles, siteFolder } from '#core/local-models';

/**
 * Models that come with the page, in the folder `weights` beside it. `page`: address of the page's folder; undefined where
 * tabd is a guest on somebody's site, which has none of them.
 */
export function siteSource(network: Network, page: () => string | undefined): FileSource {
  return {
    name: 'this site',
    scheme: 'site',
    async locate(uri, signal) {
      const model = siteFolder(uri);
      const base = page();
      if (model === undefined || base === undefined) return undefined;
      const folder = `${base}/weights/${model}/`;
      const answer = await network.fetch(folder + FILE_LIST, { signal, cache: 'no-store' });
      const text = await answer.text();
      // Many hosts answer what they do not have with the page itself.
      if (!answer.ok || !text.trimStart().startsWith('[')) return undefined;
      return siteFiles(JSON.parse(text), (path, known) =>
        httpFile(network, { role: 'weights', name: path, url: folder + path, ...known }),
      );
    },
  };
}
