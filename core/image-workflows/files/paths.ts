/** Names that come from outside: never one that leaves its folder. */
import type { FolderName } from './workflow-files.ts';

/** `a/b`, cleaned as a file system would; undefined when it leads out, or is no path at all. */
export function relativePath(path: string): string | undefined {
  if (path.startsWith('/') || path.includes('\0') || /^[a-zA-Z]:/.test(path)) return undefined;
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}

export const joinPath = (...parts: string[]): string => parts.filter((part) => part !== '').join('/');

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const isFolderName = (name: string): name is FolderName =>
  name === 'input' || name === 'output' || name === 'temp';

/** `x.png [output]` -> that folder and the name alone. */
export function splitAnnotation(name: string): { name: string; folder?: FolderName } {
  const found = /^(.*) \[(input|output|temp)\]$/s.exec(name);
  return found ? { name: found[1]!, folder: found[2] as FolderName } : { name };
}
