/**
 * A tree of ordinary files with names and folders, beside the content-addressed blobs: a folder under the home in Node,
 * the origin private file system in a browser. What the folders mean is the core's business.
 */

/** `output/sub/x.png`: parts joined by `/`, none of them empty, `.` or `..`, no NUL. Platforms refuse anything else. */
export type FilePath = string;

export interface FileInfo {
  path: FilePath;
  kind: 'file' | 'folder';
  /** Bytes; 0 for folders. */
  size: number;
  /** Milliseconds since 1970, with a fraction where the platform has one. */
  modifiedAt: number;
  createdAt: number;
}

export interface Files {
  stat(path: FilePath): Promise<FileInfo | undefined>;
  /** What lies directly in a folder, in no order; undefined when there is no such folder. */
  list(path: FilePath): Promise<FileInfo[] | undefined>;
  /** Their last parts alone: quicker. */
  names(path: FilePath): Promise<string[] | undefined>;
  /** Bytes [start, end). Throws `FileMissing`. */
  read(path: FilePath, start?: number, end?: number): Promise<Uint8Array<ArrayBuffer>>;
  /** The same as a body for an answer, without holding a large file in memory. */
  body(path: FilePath, start?: number, end?: number): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | Blob>;
  /**
   * Writes a whole file; its folders are made. A reader sees the old bytes or the new ones, never a part. With
   * `exclusive`, false and nothing written when the name is taken. Throws `StorageFull`.
   */
  write(path: FilePath, bytes: Uint8Array, options?: { exclusive?: boolean }): Promise<boolean>;
  /** A file that is too large to be held whole: written in parts, and seen under its name only when it is closed. */
  create(path: FilePath): Promise<FileWriter>;
  makeFolder(path: FilePath): Promise<void>;
  /** A file, or a folder with all that is in it. False when there is none. */
  delete(path: FilePath): Promise<boolean>;
  /** Replaces a file of that name. Throws `FileMissing`. */
  move(from: FilePath, to: FilePath): Promise<void>;
}

/** One of `close` and `abort` ends it. */
export interface FileWriter {
  /** Over what was written there, or after its end. Throws `StorageFull`, after which `abort` is left to do. */
  write(start: number, bytes: Uint8Array): Promise<void>;
  /** The file is whole, and takes the place of one that had its name. Its folders are made. Throws `StorageFull`. */
  close(): Promise<void>;
  /** Nothing of it stays. Also after `close` was tried; after it succeeded, it does nothing. */
  abort(): Promise<void>;
}

export class FileMissing extends Error {
  override name = 'FileMissing';
  constructor(readonly path: string) {
    super(`there is no file ${path}`);
  }
}

/** The parts of a path; throws on one that would leave the tree or cannot be a name. */
export function pathParts(path: FilePath): string[] {
  const parts = path.split('/');
  for (const part of parts) {
    if (part === '' || part === '.' || part === '..' || part.includes('\0') || part.includes('\\'))
      throw new TypeError(`not a path inside this storage: ${JSON.stringify(path)}`);
  }
  return parts;
}
