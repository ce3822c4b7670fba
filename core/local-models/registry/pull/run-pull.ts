import { type Digest, type Host, StorageFull } from '#core/host';
import { ApiError } from '#core/http';
import { withGraph } from '../formats/onnx/graph-for-weights.ts';
import { type Installer, install } from '../install/install.ts';
import { storeText } from '../manifest/text-layers.ts';
import type { PullRequest } from '../model-registry.ts';
import { displayName } from '../names/model-name.ts';
import type { Reference } from '../names/model-reference.ts';
import { type PullProgress, pullingLine } from '../progress.ts';
import { Consent, Declined } from './consent.ts';
import { type Failure, failureText } from './failure-text.ts';
import { type FetchedFile, fetchFiles } from './fetch-files.ts';
import { refuseTooLarge } from './refuse-too-large.ts';
import type { Offer } from './sources/offer.ts';
import { sourcesOf } from './sources/sources.ts';

export interface PullContext extends Installer {
  host: Host;
}

/**
 * One pull from beginning to end. `emit` gets every line, also those of progress, which come as often as bytes do.
 * Throws ApiError with the documented text, or the signal's reason.
 */
export async function runPull(
  context: PullContext,
  reference: Reference,
  { insecure, variant }: Pick<PullRequest, 'insecure' | 'variant'>,
  signal: AbortSignal,
  emit: (line: PullProgress) => void,
): Promise<void> {
  const { host } = context;
  emit({ status: 'pulling manifest' });
  const failures: Failure[] = [];
  for (const source of await sourcesOf(host, reference, insecure, variant)) {
    let found = false;
    try {
      const offer = await source.find(signal);
      if (!offer) continue;
      found = true;
      await pullFrom(context, reference, offer, signal, emit);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError) throw error;
      if (error instanceof Declined) throw new ApiError(403, error.message, { cause: error });
      if (error instanceof StorageFull) throw new ApiError(507, error.message, { cause: error });
      host.log.warn('a source could not give a model', { source: source.name, error: String(error) });
      failures.push({ source: source.name, found, error });
    }
  }
  throw new ApiError(500, failureText(failures), { cause: failures[0]?.error });
}

async function pullFrom(
  context: PullContext,
  reference: Reference,
  offer: Offer,
  signal: AbortSignal,
  emit: (line: PullProgress) => void,
): Promise<void> {
  const { host, models } = context;
  const name = reference.name;
  const files: FetchedFile[] = [];
  const brought: Pick<FetchedFile, 'digest' | 'size' | 'isNew'>[] = [];
  await refuseTooLarge(host, displayName(name), offer.files);
  // From here on nobody may drop these blobs, although no model has them yet.
  const releases = offer.files.flatMap((file) => (file.digest ? [models.hold(file.digest)] : []));
  const release = () => {
    for (const each of releases) each();
  };
  try {
    if (offer.licence) emit({ status: `licence: ${offer.licence}` });
    const consent = new Consent(host, displayName(name), offer.licence);
    await fetchFiles(host, offer, consent, signal, emit, (file) => {
      files.push(file);
      brought.push(file);
      releases.push(models.hold(file.digest));
    });
    for (const { layer, bytes } of offer.textLayers ?? []) {
      emit(pullingLine(layer.digest, layer.size, layer.size));
      const { digest, size, isNew } = await storeText(host.blobs, layer.mediaType, bytes, (stored) =>
        releases.push(models.hold(stored)),
      );
      brought.push({ digest, size, isNew });
    }
    emit({ status: 'verifying sha256 digest' });
    const fetched = files.map(({ isNew: _isNew, ...file }) => file);
    const hold = (digest: Digest) => void releases.push(models.hold(digest));
    const { origin, texts, manifest } = offer;
    const licences = texts.licences.length > 0 || !offer.licence ? texts.licences : [offer.licence];
    const installation = {
      name,
      origin,
      files: await withGraph(host.blobs, fetched, hold, signal),
      texts: { ...texts, licences },
      ...(manifest ? { manifest } : {}),
      ...(offer.beside ? { beside: true } : {}),
    };
    for await (const line of install(context, installation)) {
      if (line.status !== 'success') signal.throwIfAborted();
      emit(line);
    }
  } catch (error) {
    // What cannot be installed is of no use; what was cut off stays for the next try.
    release();
    if (error instanceof ApiError) await dropNew(context, brought);
    throw error;
  } finally {
    release();
    for (const file of offer.files) await file.release?.();
  }
}

async function dropNew(
  { models }: PullContext,
  brought: Pick<FetchedFile, 'digest' | 'isNew'>[],
): Promise<void> {
  const digests = new Set<Digest>(brought.filter(({ isNew }) => isNew).map(({ digest }) => digest));
  for (const digest of digests) await models.dropUnlessUsed(digest);
}
