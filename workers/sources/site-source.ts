import type { FileSource, Network } from '#core/host';
import { FILE_LIST, httpFile, siteFiles, siteFolder } from '#core/local-models';

/**
 * Models that come with the page, in its folder `weights`.
 * @param page the URL of the page's folder; undefined on a site that only embeds tabd and has no such folder
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
      const response = await network.fetch(folder + FILE_LIST, { signal, cache: 'no-store' });
      const text = await response.text();
      // Many hosts answer the request for a missing file with the page itself.
      if (!response.ok || !text.trimStart().startsWith('[')) return undefined;
      return siteFiles(JSON.parse(text), (path, facts) =>
        httpFile(network, { role: 'weights', name: path, url: folder + path, ...facts }),
      );
    },
  };
}
