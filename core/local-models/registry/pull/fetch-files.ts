import type { BlobInfo, Host, LocatedFile, ModelFile } from '#core/host';
import { sha256 } from '../manifest/manifest.ts';
import { type PullProgress, progressCounts, pullingLine } from '../progress.ts';
import { download, partialKey } from '../transfer/download.ts';
import type { Consent } from './consent.ts';
import type { Offer } from './sources/offer.ts';

export interface FetchedFile extends ModelFile {
  /** This pull brought it; otherwise it was here. */
  isNew: boolean;
}

/** Brings the files of an offer here one by one; `onFetched` hears of each at once. */
export async function fetchFiles(
  host: Host,
  offer: Offer,
  consent: Consent,
  signal: AbortSignal,
  emit: (line: PullProgress) => void,
  onFetched: (file: FetchedFile) => void,
): Promise<void> {
  let missing = 0;
  for (const file of offer.files) if (!(await stored(host, file))) missing += file.size ?? 0;
  await consent.ask(missing, signal);
  for (const file of offer.files) {
    if (!(await stored(host, file))) await prepare(file, consent, signal, emit);
    const present = await stored(host, file);
    if (present) emit(pullingLine(present.digest, present.size, present.size));
    const blob = present ?? (await fetchFile(host, offer, file, signal, emit));
    onFetched({
      role: file.role,
      digest: blob.digest,
      size: blob.size,
      ...(file.path === undefined ? {} : { name: file.path }),
      isNew: !present,
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
    ? partialKey(file.digest)
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

/** Lets the source fetch the package that holds the file; how large that is, is known only on the way. */
async function prepare(
  file: LocatedFile,
  consent: Consent,
  signal: AbortSignal,
  emit: (line: PullProgress) => void,
): Promise<void> {
  if (!file.prepare) return;
  const refused = new AbortController();
  let asked: Promise<void> | undefined;
  await file.prepare(AbortSignal.any([signal, refused.signal]), (completed, total) => {
    if (total !== undefined && !asked) {
      asked = consent.ask(total, signal);
      asked.catch((reason: unknown) => refused.abort(reason));
    }
    emit({ status: `pulling package ${file.name}`, ...progressCounts(total, completed) });
  });
  await asked;
}

async function stored(host: Host, file: LocatedFile): Promise<BlobInfo | undefined> {
  return file.digest && (await host.blobs.stat(file.digest));
}
