import type { Digest, ModelFile } from '#core/host';

/** A file in the list of a repository. */
export interface RepositoryFile {
  path: string;
  /** In bytes. */
  size?: number;
  digest?: Digest;
}

/** A file of a repository that belongs to the model. */
export interface ChosenFile {
  role: ModelFile['role'];
  file: RepositoryFile;
  /** The file's name within the model, for formats that find their files by name. */
  path?: string;
}
