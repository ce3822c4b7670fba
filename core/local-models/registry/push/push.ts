import { BlobMissing, type Host } from '#core/host';
import { ApiError } from '#core/http';
import { ensureManifest } from '../install/ensure-manifest.ts';
import type { InstallContext } from '../install/installation.ts';
import { BlobHolds } from '../installed/blob-holds.ts';
import { shortDigest } from '../manifest/digests.ts';
import { MANIFEST_MEDIA_TYPE } from '../manifest/manifest.ts';
import type { PushRequest } from '../model-registry.ts';
import { displayName, tryParseName } from '../names/model-name.ts';
import { splitSource } from '../names/source-suffix.ts';
import type { PullProgress } from '../progress.ts';
import { ConnectionError, HttpStatusError } from '../transfer/http-file.ts';
import { RemoteRegistry } from '../transfer/remote-registry.ts';
import { uploadBlob } from './upload-blob.ts';
import { withRetries } from './with-retries.ts';

export interface PushContext extends InstallContext {
  host: Pick<Host, 'blobs' | 'clock' | 'log' | 'network' | 'setting'>;
}

/**
 * Uploads the layers that the registry of the name lacks, and then the manifest.
 * @throws ApiError 400 for an invalid name, 500 for a failure; or the reason of `signal`
 */
export async function* runPush(
  context: PushContext,
  request: PushRequest,
  signal: AbortSignal,
): AsyncGenerator<PullProgress> {
  const { host, models } = context;
  const name = tryParseName(splitSource(request.model).name);
  if (!name) throw new ApiError(400, 'invalid model name');
  yield { status: 'retrieving manifest' };
  const installed = await models.find(name);
  if (!installed) {
    yield { status: "couldn't retrieve manifest" };
    const path = [name.host, name.namespace, name.model, name.tag].join('/');
    throw new ApiError(500, `open manifests/${path}: no such file or directory`);
  }
  const { model, manifest, text } = await ensureManifest(context, installed);
  const layers = [...manifest.layers, manifest.config];
  const registry = new RemoteRegistry(host.network, model.name, request.insecure);
  const holds = new BlobHolds(models);
  for (const { digest } of layers) holds.hold(digest);
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
    const init = { headers: { 'content-type': MANIFEST_MEDIA_TYPE }, body: text };
    const response = await withRetries({ host, signal }, () => registry.request('PUT', url, init, signal));
    await response.body?.cancel();
  } catch (error) {
    signal.throwIfAborted();
    throw asApiError(error, displayName(model.name), model.name.host);
  } finally {
    holds.release();
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
  const isRegistryFailure = error instanceof HttpStatusError || error instanceof ConnectionError;
  return isRegistryFailure ? new ApiError(500, error.message, { cause: error }) : error;
}
