import type { Digest } from '#core/host';
import { shortDigest } from './manifest/manifest.ts';

/** One line of `/api/pull`, as it goes on the wire. */
export interface PullProgress {
  status: string;
  digest?: Digest;
  total?: number;
  completed?: number;
}

export function pullingLine(digest: Digest, total: number | undefined, completed: number): PullProgress {
  return { status: `pulling ${shortDigest(digest)}`, digest, ...progressCounts(total, completed) };
}

/** Zero is left out, as in all answers of this API. */
export function progressCounts(
  total: number | undefined,
  completed: number,
): Pick<PullProgress, 'total' | 'completed'> {
  return { ...(total ? { total } : {}), ...(completed ? { completed } : {}) };
}
