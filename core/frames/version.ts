import { VersionMismatch } from './errors.ts';
import type { HelloFrame } from './grammar.ts';

/**
 * Version N of the grammar, and the oldest one still spoken (N - 1, once there are two): a page that was loaded before
 * an update talks to the new service worker and the other way round.
 */
export const GRAMMAR_VERSIONS = { version: 1, oldest: 1 };

/** The version that both speak. Throws `VersionMismatch`. */
export function agreedVersion(
  ours: Pick<HelloFrame, 'version' | 'oldest'>,
  theirs: Pick<HelloFrame, 'version' | 'oldest'>,
): number {
  const version = Math.min(ours.version, theirs.version);
  if (version < ours.oldest || version < theirs.oldest) {
    const stale = ours.version < theirs.version ? 'this side' : 'the other side';
    throw new VersionMismatch(
      `the two sides of tabd speak different versions (${ours.version} and ${theirs.version}): reload the page, ${stale} is older`,
    );
  }
  return version;
}
