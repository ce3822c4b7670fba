import { VersionMismatch } from './errors.ts';
import type { HelloFrame } from './grammar.ts';

/**
 * The version N of the grammar and the oldest one still spoken: N - 1, once there are two. A page that was loaded before an
 * update talks to a service worker after it, and the other way round.
 */
export const GRAMMAR_VERSIONS: VersionRange = { version: 1, oldest: 1 };

export type VersionRange = Pick<HelloFrame, 'version' | 'oldest'>;

/**
 * The version that both sides speak.
 * @throws VersionMismatch that names the older side
 */
export function agreedVersion(ours: VersionRange, theirs: VersionRange): number {
  const version = Math.min(ours.version, theirs.version);
  if (version < ours.oldest || version < theirs.oldest) {
    const olderSide = ours.version < theirs.version ? 'this side' : 'the other side';
    throw new VersionMismatch(
      `the two sides of tabd speak different versions (${ours.version} and ${theirs.version}): reload the page, ${olderSide} is older`,
    );
  }
  return version;
}
