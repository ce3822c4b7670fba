/** Files of ComfyUI's API: uploads in `input`, results in `output`, previews in `temp`, models by kind. */
export type FolderName = 'input' | 'output' | 'temp';

/** The query parameters by which clients request a file at `/view`. */
export interface ImageReference {
  filename: string;
  subfolder: string;
  type: FolderName;
}

/** The place and the first free number of files with one prefix. */
export interface SaveTarget {
  /** The last part of the prefix, to which the number is added. */
  name: string;
  subfolder: string;
  counter: number;
}

/** The files as nodes and validation see them. */
export interface WorkflowFiles {
  /** Sorted names of the files in a folder; with `deep` those in subfolders too. Empty when there is no such folder. */
  names(folder: FolderName, deep?: boolean): Promise<string[]>;
  /** Sorted names of the model files in a folder such as `checkpoints`. */
  models(folder: string): Promise<string[]>;
  /**
   * Finds a file by the name in a graph: `x.png`, `sub/x.png` or `x.png [output]`. Undefined when there is none, or when
   * the name leads out of the folder.
   * @param folder where names without a folder are searched; default: `input`
   */
  find(name: string, folder?: FolderName): Promise<{ path: string; folder: FolderName } | undefined>;
  /** The bytes of a file that `find` returned. */
  read(path: string): Promise<Uint8Array<ArrayBuffer>>;
  /** SHA-256 of a file's bytes in hex, for fingerprints of nodes. */
  digest(path: string): Promise<string>;
  /**
   * The target for files with a prefix. Fills in tokens such as %width% and %year%, and creates the subfolder.
   * @throws Error when the prefix leads out of the folder
   */
  target(prefix: string, folder: FolderName, size?: { width: number; height: number }): Promise<SaveTarget>;
  /**
   * Writes `NAME_00001_.png`, where the number is the target's counter plus `index`.
   * @param extension without a dot
   */
  save(
    target: SaveTarget,
    folder: FolderName,
    index: number,
    extension: string,
    bytes: Uint8Array,
  ): Promise<ImageReference>;
}
