import type { Files, Log } from '#core/host';
import { MemoryFiles } from './memory-files.ts';
import { OpfsFiles } from './opfs-files.ts';

/** The files of this site. Files in memory where the browser has no persistent storage, as in some private windows. */
export async function openFiles(scope: string, log: Log): Promise<Files> {
  try {
    if (typeof navigator.storage?.getDirectory === 'function' && canWrite()) {
      return await OpfsFiles.open(scope);
    }
  } catch (error) {
    log.warn('the file system of this site cannot be used', { error: String(error) });
  }
  log.warn('this browser stores no files: generated images are lost when the tab closes');
  return new MemoryFiles();
}

function canWrite(): boolean {
  return typeof FileSystemFileHandle !== 'undefined' && 'createWritable' in FileSystemFileHandle.prototype;
}
