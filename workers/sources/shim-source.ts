import { blobFileName, type LocatedFile, type Network, type WeightSource } from '#core/host';
import { httpFile, statusError } from '#core/local-models';

const WEIGHTS_PATH = '/tabd/weights';
/** Milliseconds. A shim that exists answers at once. */
const QUERY_TIMEOUT = 5_000;

/** The response to `GET /tabd/weights?model=<canonical name>`. */
interface ShimWeights {
  files: {
    role: LocatedFile['role'];
    digest: `sha256:${string}`;
    size: number;
    url: string;
    name?: string;
  }[];
  licence?: string;
  manifest?: string;
}

/**
 * The models that `tabd` has pulled on the computer that serves this page. They need no second download.
 * @param origin the origin of that computer's app server; undefined for a page from elsewhere, which has no such source
 */
export function shimSource(network: Network, origin: () => string | undefined): WeightSource {
  return {
    name: 'this computer',
    async locate(name, signal) {
      const server = origin();
      if (!server) return undefined;
      const found = await queryWeights(
        network,
        `${server}${WEIGHTS_PATH}?model=${encodeURIComponent(name)}`,
        signal,
      );
      if (!found) return undefined;
      const files = found.files.map(({ role, digest, size, url, name }) => ({
        ...httpFile(network, {
          role,
          name: digest,
          url: new URL(url, server).href,
          size,
          digest,
          ...(found.licence ? { licence: found.licence } : {}),
        }),
        ...(name === undefined ? {} : { path: name }),
      }));
      if (!found.manifest) return files;
      return {
        files,
        manifest: found.manifest,
        readLayer: (digest, signal) =>
          readLayer(network, `${server}${WEIGHTS_PATH}/${blobFileName(digest)}`, signal),
      };
    },
  };
}

async function readLayer(network: Network, url: string, signal: AbortSignal): Promise<Uint8Array> {
  const response = await network.fetch(url, { signal, cache: 'no-store' });
  if (!response.ok) throw await statusError(response, url);
  return new Uint8Array(await response.arrayBuffer());
}

/** The files of a model. Undefined when the shim lacks it, does not answer, or another server answers. */
async function queryWeights(
  network: Network,
  url: string,
  signal: AbortSignal,
): Promise<ShimWeights | undefined> {
  try {
    const withTimeout = AbortSignal.any([signal, AbortSignal.timeout(QUERY_TIMEOUT)]);
    const response = await network.fetch(url, { signal: withTimeout, cache: 'no-store' });
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    if (response.ok && isJson) return (await response.json()) as ShimWeights;
    await response.body?.cancel();
  } catch {
    signal.throwIfAborted();
  }
  return undefined;
}
