import type { Digest, Host } from '#core/host';
import type { InstalledModels } from '../installed/installed-models.ts';
import { pendingBlobs, uploadedDigest } from '../transfer/pending-blobs.ts';

/** Two weeks, in milliseconds. An older download is not expected to continue. */
const MAX_AGE = 14 * 24 * 60 * 60 * 1000;

/** Deletes unfinished downloads and unused uploads that began more than two weeks ago. */
export async function prune(
  { blobs, records, clock }: Pick<Host, 'blobs' | 'records' | 'clock'>,
  models: InstalledModels,
  signal: AbortSignal,
): Promise<void> {
  const pending = pendingBlobs(records);
  for (const { key } of await pending.list({ index: 'startedAt', to: clock.now() - MAX_AGE })) {
    signal.throwIfAborted();
    const digest = uploadedDigest(key);
    if (digest !== undefined) await models.deleteUnlessUsed(digest as Digest);
    else await blobs.deletePartial(key, signal);
    await pending.delete(key);
  }
}
