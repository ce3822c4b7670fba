import type { LocatedFile, Network, WeightSource } from '#core/host';
import { httpFile, statusError } from '#core/local-models';

const path = '/tabd/weights';
/** A computer that is asked whether it has a model answers at once or is not there (milliseconds). */
const patience = 5_000;

/** The answer to `GET /tabd/weights?model=<canonical name>`. */
interface Weights {
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
 * The models of the computer that serves this page: what `tabd` has pulled there needs no second download.
 * `origin`: of its app server; undefined where the page comes from somewhere else, then nothing is asked.
 */
export function shimSource(network: Network, origin: () => string | undefined): WeightSource {
  return {
    name: 'this computer',
    async locate(name, signal) {
      const server = origin();
      if (!server) return undefined;
      const found = await ask(network, `${server}${path}?model=${encodeURIComponent(name)}`, signal);
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
        readLayer: (digest, stop) => readLayer(network, `${server}${path}/${digest.replace(':', '-')}`, stop),
      };
    },
  };
}

async function readLayer(network: Network, url: string, signal: AbortSignal): Promise<Uint8Array> {
  const answer = await network.fetch(url, { signal, cache: 'no-store' });
  if (!answer.ok) throw await statusError(answer, url);
  return new Uint8Array(await answer.arrayBuffer());
}

/** undefined also when nobody answers, or somebody else: then the model comes from elsewhere. */
async function ask(network: Network, url: string, signal: AbortSignal): Promise<Weights | undefined> {
  try {
    const either = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
    const answer = await network.fetch(url, { signal: either, cache: 'no-store' });
    const isJson = answer.headers.get('content-type')?.startsWith('application/json');
    if (answer.ok && isJson) return (await answer.json()) as Weights;
    await answer.body?.cancel();
  } catch {
    signal.throwIfAborted();
  }
  return undefined;
}
