import type { Digest } from '#core/host';
import { shortDigest } from './manifest/digests.ts';

/** One line of the responses of `/api/pull`, `/api/push` and `/api/create`. */
export interface PullProgress {
  status: string;
  digest?: Digest;
  total?: number;
  completed?: number;
}

/** The progress of one layer. */
export function pullingLine(digest: Digest, total: number | undefined, completed: number): PullProgress {
  return { status: `pulling ${shortDigest(digest)}`, digest, ...progressCounts(total, completed) };
}

/** Zeros are left out, as in all of Ollama's responses. */
export function progressCounts(
  total: number | undefined,
  completed: number,
): Pick<PullProgress, 'total' | 'completed'> {
  return { ...(total ? { total } : {}), ...(completed ? { completed } : {}) };
}
