/**
 * A tree of ordinary files with names and folders, next to the content-addressed blobs. In Node it is a folder under the
 * home, in a browser the origin private file system. The core decides what the folders mean.
 */

/** `output/sub/x.png`: parts joined by `/`. Checked by `pathParts`. The empty path is the root folder. */
export type FilePath = string;

/** A file or folder, as `stat` and `list` describe it. */
export interface FileInfo {
  path: FilePath;
  kind: 'file' | 'folder';
  /** Bytes; 0 for folders. */
  size: number;
  /** Milliseconds since 1970, with a fraction where the platform has one. */
  modifiedAt: number;
  createdAt: number;
}

/** A tree of files. It belongs to the host. All methods throw `TypeError` for a path that `pathParts` refuses. */
export interface Files {
  /** Undefined: there is no such file or folder. */
  stat(path: FilePath): Promise<FileInfo | undefined>;
  /** The direct entries of a folder, in no order. Undefined: there is no such folder. */
  list(path: FilePath): Promise<FileInfo[] | undefined>;
  /** The names of a folder's direct entries: faster than `list`. Undefined: there is no such folder. */
  names(path: FilePath): Promise<string[] | undefined>;
  /** Bytes [start, end). Rejects with `FileMissing`. */
  read(path: FilePath, start?: number, end?: number): Promise<Uint8Array<ArrayBuffer>>;
  /** Bytes [start, end) as a response body, without a large file in memory. Rejects with `FileMissing`. */
  body(path: FilePath, start?: number, end?: number): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | Blob>;
  /**
   * Writes a file at once and creates its folders. Readers see the old bytes or the new ones, never a part of them.
   * Rejects with `StorageFull`, and with `PathUnusable` when nothing can be stored under this path.
   * @param options.exclusive writes nothing and returns false when the name is taken
   * @returns whether the file was written
   */
  write(path: FilePath, bytes: Uint8Array, options?: { exclusive?: boolean }): Promise<boolean>;
  /**
   * Begins a file that is written in parts. It appears under its name when the writer closes. This method, or the
   * writer's `close`, rejects with `PathUnusable`.
   */
  create(path: FilePath): Promise<FileWriter>;
  /** Creates a folder and the folders above it. Does nothing if it exists. Rejects with `PathUnusable`. */
  makeFolder(path: FilePath): Promise<void>;
  /** Deletes a file, or a folder with its content. Returns false when there is none. */
  delete(path: FilePath): Promise<boolean>;
  /** Replaces a file of the new name. Rejects with `FileMissing` and `PathUnusable`. */
  move(from: FilePath, to: FilePath): Promise<void>;
}

/** Writes one new file. The caller ends it by `close` or `abort`. */
export interface FileWriter {
  /** Writes at an offset that lies inside of the written bytes or at their end. Rejects with `StorageFull`: then call `abort`. */
  write(start: number, bytes: Uint8Array): Promise<void>;
  /** Puts the file in place of an older one of its name, and creates its folders. Rejects with `StorageFull`. */
  close(): Promise<void>;
  /** Deletes the written bytes. May follow a failed `close`; does nothing after one that succeeded. */
  abort(): Promise<void>;
}

/** There is no file at this path. */
export class FileMissing extends Error {
  override name = 'FileMissing';
  constructor(readonly path: string) {
    super(`there is no file ${path}`);
  }
}

/** Nothing can be stored under a path: a file stands in the place of a folder or vice versa, or a name is too long. */
export class PathUnusable extends Error {
  override name = 'PathUnusable';
  constructor(readonly path: string) {
    const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path;
    super(`nothing can be stored under ${shown}: a file or folder is in the way, or a name is too long`);
  }
}

/** The bytes that most file systems allow for a name. A backup of one host must fit into any other. */
const LONGEST_NAME = 255;

/**
 * The parts of a path to write to, for hosts whose storage takes names of any length.
 * @throws PathUnusable for a name of more than 255 bytes in UTF-8, and what `pathParts` throws
 */
export function writablePathParts(path: FilePath): string[] {
  const parts = pathParts(path);
  const encoder = new TextEncoder();
  if (parts.some((part) => encoder.encode(part).length > LONGEST_NAME)) throw new PathUnusable(path);
  return parts;
}

/**
 * The parts of a path.
 * @throws TypeError for an empty part, `.`, `..`, a NUL or a backslash, which could lead out of the tree
 */
export function pathParts(path: FilePath): string[] {
  const parts = path.split('/');
  for (const part of parts) {
    if (part === '' || part === '.' || part === '..' || part.includes('\0') || part.includes('\\'))
      throw new TypeError(`not a path inside this storage: ${JSON.stringify(path)}`);
  }
  return parts;
}
