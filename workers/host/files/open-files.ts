import type { Files, Log } from '#core/host';
import { MemoryFiles } from './memory-files.ts';
import { OpfsFiles } from './opfs-files.ts';

/** The files of this site; where the browser keeps none (some private windows), files until the tab closes. */
export async function openFiles(scope: string, log: Log): Promise<Files> {
  try {
    if (typeof navigator.storage?.getDirectory === 'function' && canWrite()) {
      return await OpfsFiles.open(scope);
    }
  } catch (error) {
    log.warn('the file system of this site cannot be used', { error: String(error) });
  }
  log.warn('this browser keeps no files: pictures made here are lost when the tab closes');
  return new MemoryFiles();
}

function canWrite(): boolean {
  return typeof FileSystemFileHandle !== 'undefined' && 'createWritable' in FileSystemFileHandle.prototype;
}
