import { BlobMissing, type Host } from '#core/host';
import { ApiError } from '#core/http';
import { withManifest } from '../install/ensure-manifest.ts';
import type { Installer } from '../install/install.ts';
import { manifestType, shortDigest } from '../manifest/manifest.ts';
import type { PushRequest } from '../model-registry.ts';
import { displayName, tryParseName } from '../names/model-name.ts';
import { splitSource } from '../names/source-suffix.ts';
import type { PullProgress } from '../progress.ts';
import { ConnectionError, HttpStatusError } from '../transfer/http-file.ts';
import { RemoteRegistry } from '../transfer/remote-registry.ts';
import { tried, uploadBlob } from './upload-blob.ts';

export interface PushContext extends Installer {
  host: Pick<Host, 'blobs' | 'clock' | 'log' | 'network' | 'setting'>;
}

/** Uploads the layers that the registry of the name lacks, then the manifest. Throws ApiError 500 for what fails. */
export async function* push(
  context: PushContext,
  request: PushRequest,
  signal: AbortSignal,
): AsyncGenerator<PullProgress> {
  const { host, models } = context;
  const name = tryParseName(splitSource(request.model).name);
  if (!name) throw new ApiError(400, 'invalid model name');
  yield { status: 'retrieving manifest' };
  const found = await models.find(name);
  if (!found) {
    yield { status: "couldn't retrieve manifest" };
    const path = [name.host, name.namespace, name.model, name.tag].join('/');
    throw new ApiError(500, `open manifests/${path}: no such file or directory`);
  }
  const { model, manifest, text } = await withManifest(context, found);
  const layers = [...manifest.layers, manifest.config];
  const registry = new RemoteRegistry(host.network, model.name, request.insecure);
  const releases = layers.map((layer) => models.hold(layer.digest));
  try {
    for (const layer of layers) {
      const { digest, size } = layer;
      const status = `pushing ${shortDigest(digest)}`;
      for await (const completed of uploadBlob({ host, registry, layer, signal })) {
        yield { status, digest, total: size, ...(completed > 0 ? { completed } : {}) };
      }
    }
    yield { status: 'pushing manifest' };
    const url = `${registry.base}/manifests/${model.name.tag}`;
    const init = { headers: { 'content-type': manifestType }, body: text };
    const answer = await tried({ host, signal }, () => registry.request('PUT', url, init, signal));
    await answer.body?.cancel();
  } catch (error) {
    signal.throwIfAborted();
    throw asApiError(error, displayName(model.name), model.name.host);
  } finally {
    for (const release of releases) release();
  }
  yield { status: 'success' };
}

function asApiError(error: unknown, name: string, host: string): unknown {
  if (error instanceof BlobMissing) {
    return new ApiError(500, `${name} is not whole: ${error.message}; pull or create it again`, {
      cause: error,
    });
  }
  if (error instanceof HttpStatusError && (error.status === 401 || error.status === 403)) {
    const next = `${host} wants an account, and tabd has none to sign in with`;
    return new ApiError(500, `${error.message}; ${next}: push to a registry that takes it without one`, {
      cause: error,
    });
  }
  const known = error instanceof HttpStatusError || error instanceof ConnectionError;
  return known ? new ApiError(500, error.message, { cause: error }) : error;
}
