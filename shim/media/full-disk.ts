import { StorageFull } from '#core/host';
import { isDiskFullError } from '../base/full-disk.ts';
import { ProgramFailed } from './run-program.ts';

/** ffmpeg's message for a full disk, on all systems. */
const FULL_DISK_MESSAGE = /no space left on device|dis[ck] quota exceeded/i;

/** Whether a program failed because the disk was full. */
export const isProgramOutOfSpace = (error: unknown): boolean =>
  error instanceof ProgramFailed && error.lines.some((line) => FULL_DISK_MESSAGE.test(line));

/** Converts errors of a full disk to `StorageFull`. Returns other errors unchanged. */
export function asStorageFull(error: unknown, folder: string): unknown {
  if (!isDiskFullError(error) && !isProgramOutOfSpace(error)) return error;
  return new StorageFull(
    `no space left in ${folder}, where audio and video files are created: delete old output, or set TABD_HOME to a larger disk`,
    { cause: error },
  );
}
