import { type Digest, type Host, StorageFull } from '#core/host';
import { ApiError } from '#core/http';
import { addMissingGraph } from '../formats/onnx/add-missing-graph.ts';
import { install } from '../install/install.ts';
import type { InstallContext } from '../install/installation.ts';
import { BlobHolds } from '../installed/blob-holds.ts';
import { storeText } from '../manifest/text-layers.ts';
import type { PullRequest } from '../model-registry.ts';
import { displayName } from '../names/model-name.ts';
import type { ModelReference } from '../names/model-reference.ts';
import { type PullProgress, pullingLine } from '../progress.ts';
import { Consent, ConsentDeclined } from './consent.ts';
import { type FetchedFile, fetchFiles } from './fetch-files.ts';
import { pullFailureText, type SourceFailure } from './pull-failure-text.ts';
import { refuseTooLarge } from './refuse-too-large.ts';
import { findSources } from './sources/find-sources.ts';
import type { Offer } from './sources/offer.ts';

export interface PullContext extends InstallContext {
  host: Host;
}

/** A blob of the pull that must be deleted when its model cannot be installed, if it is new. */
type PulledBlob = Pick<FetchedFile, 'digest' | 'isNew'>;

/**
 * Pulls a model from the first source that can deliver it.
 * @param emit receives every line, for every chunk that arrives
 * @throws ApiError with Ollama's text, or the reason of `signal`
 */
export async function runPull(
  context: PullContext,
  reference: ModelReference,
  { insecure, variant }: Pick<PullRequest, 'insecure' | 'variant'>,
  signal: AbortSignal,
  emit: (line: PullProgress) => void,
): Promise<void> {
  const { host } = context;
  emit({ status: 'pulling manifest' });
  const failures: SourceFailure[] = [];
  for (const source of await findSources(host, reference, insecure, variant)) {
    let found = false;
    try {
      const offer = await source.find(signal);
      if (!offer) continue;
      found = true;
      await pullOffer(context, reference, offer, signal, emit);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError) throw error;
      if (error instanceof ConsentDeclined) throw new ApiError(403, error.message, { cause: error });
      if (error instanceof StorageFull) throw new ApiError(507, error.message, { cause: error });
      host.log.warn('a source could not give a model', { source: source.name, error: String(error) });
      failures.push({ source: source.name, found, error });
    }
  }
  throw new ApiError(500, pullFailureText(failures), { cause: failures[0]?.error });
}

async function pullOffer(
  context: PullContext,
  { name }: ModelReference,
  offer: Offer,
  signal: AbortSignal,
  emit: (line: PullProgress) => void,
): Promise<void> {
  const { host, models } = context;
  await refuseTooLarge(host, displayName(name), offer.files);
  const holds = new BlobHolds(models);
  for (const { digest } of offer.files) if (digest) holds.hold(digest);
  const blobs: PulledBlob[] = [];
  try {
    if (offer.licence) emit({ status: `licence: ${offer.licence}` });
    const files = await fetchOffer(context, displayName(name), offer, holds, blobs, signal, emit);
    emit({ status: 'verifying sha256 digest' });
    const { origin, texts, manifest } = offer;
    const licences = texts.licences.length > 0 || !offer.licence ? texts.licences : [offer.licence];
    const installation = {
      name,
      origin,
      // A single file of weights is for image workflows, which build its graphs.
      files: files.length === 1 ? files : await addMissingGraph(host.blobs, files, holds.hold, signal),
      texts: { ...texts, licences },
      ...(manifest ? { manifest } : {}),
      ...(offer.keepsOtherVariants ? { keepsOtherVariants: true } : {}),
    };
    for await (const line of install(context, installation)) {
      if (line.status !== 'success') signal.throwIfAborted();
      emit(line);
    }
  } catch (error) {
    holds.release();
    // A model that cannot be installed is useless. The files of an interrupted pull remain for the next one.
    if (error instanceof ApiError) await deleteNew(context, blobs);
    throw error;
  } finally {
    holds.release();
    for (const file of offer.files) await file.release?.();
  }
}

/** Stores the files and texts of an offer. Adds each of them to `blobs` as soon as it is stored. */
async function fetchOffer(
  { host }: PullContext,
  model: string,
  offer: Offer,
  holds: BlobHolds,
  blobs: PulledBlob[],
  signal: AbortSignal,
  emit: (line: PullProgress) => void,
) {
  const files: Omit<FetchedFile, 'isNew'>[] = [];
  const consent = new Consent(host, model, offer.licence);
  await fetchFiles(host, offer, consent, signal, emit, ({ isNew, ...file }) => {
    files.push(file);
    blobs.push({ digest: file.digest, isNew });
    holds.hold(file.digest);
  });
  for (const { layer, bytes } of offer.textLayers ?? []) {
    emit(pullingLine(layer.digest, layer.size, layer.size));
    const { digest, isNew } = await storeText(host.blobs, layer.mediaType, bytes, holds.hold);
    blobs.push({ digest, isNew });
  }
  return files;
}

async function deleteNew({ models }: PullContext, blobs: PulledBlob[]): Promise<void> {
  const digests = new Set<Digest>(blobs.filter(({ isNew }) => isNew).map(({ digest }) => digest));
  for (const digest of digests) await models.deleteUnlessUsed(digest);
}
