import { StorageFull } from '#core/host';
import { ProgramFailed } from './run-program.ts';

/** What ffmpeg says then, on every system. */
const WORDS = /no space left on device|dis[ck] quota exceeded/i;

/** A program that had no room for what it wrote. */
export const isFull = (error: unknown): boolean =>
  error instanceof ProgramFailed && error.lines.some((line) => WORDS.test(line));

/** What there was no room for in the folder as `StorageFull`; anything else as it is. */
export function asFull(error: unknown, folder: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT' && !isFull(error)) return error;
  return new StorageFull(
    `no space left in ${folder}, where files of sound and video are put together: delete old output, or set TABD_HOME to a larger disk`,
    { cause: error },
  );
}
