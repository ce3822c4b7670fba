/** The folders of document 2: pictures that come in, are kept or only shown, and models by the kind of folder. */

export type FolderName = 'input' | 'output' | 'temp';

/** What clients fetch a file by, at `/view`. */
export interface ImageReference {
  filename: string;
  subfolder: string;
  type: FolderName;
}

export interface SaveTarget {
  /** Without counter: the last part of the prefix. */
  name: string;
  subfolder: string;
  /** The first free number. */
  counter: number;
}

export interface WorkflowFiles {
  /** Names below a folder, `/`-joined, sorted. `deep`: those in subfolders too. Empty when there is no such folder. */
  names(folder: FolderName, deep?: boolean): Promise<string[]>;
  /** Files of a folder of models (`checkpoints`, `loras` …), sorted. */
  models(folder: string): Promise<string[]>;
  /**
   * A file by the name that graphs hold: `x.png`, `sub/x.png`, `x.png [output]`. Undefined when there is none, or the
   * name leaves the folder.
   */
  find(name: string, folder?: FolderName): Promise<{ path: string; folder: FolderName } | undefined>;
  /** The bytes of what `find` found. */
  read(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** `sha256` of a file's bytes, in hex: what a result that was made from it depends on. */
  digest(path: string): Promise<string>;
  /**
   * Where files with this prefix go: tokens such as %width% and %year% filled in, the directory part made. Throws when
   * it leaves the folder.
   */
  target(prefix: string, folder: FolderName, size?: { width: number; height: number }): Promise<SaveTarget>;
  /** Writes `NAME_00001_.png` (extension without a dot, counter = target's + index) and gives its reference. */
  save(
    target: SaveTarget,
    folder: FolderName,
    index: number,
    extension: string,
    bytes: Uint8Array,
  ): Promise<ImageReference>;
}
