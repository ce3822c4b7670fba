/** Paths and names that clients send. None may lead out of its folder. */
import type { FolderName } from './workflow-files.ts';

/**
 * The path without `.`, `..`, backslashes and empty parts: `a/b`. Undefined when it leads out of its folder or is
 * absolute.
 */
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

/** Joins parts by slashes and leaves empty ones out. */
export const joinPath = (...parts: string[]): string => parts.filter((part) => part !== '').join('/');

/** The part after the last slash. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const isFolderName = (name: string): name is FolderName =>
  name === 'input' || name === 'output' || name === 'temp';

/** Splits `x.png [output]` into name and folder. */
export function splitAnnotation(annotatedName: string): { name: string; folder?: FolderName } {
  const match = /^(.*) \[(input|output|temp)\]$/s.exec(annotatedName);
  return match ? { name: match[1]!, folder: match[2] as FolderName } : { name: annotatedName };
}
