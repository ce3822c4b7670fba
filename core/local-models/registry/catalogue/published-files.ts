import files from './published-files.json' with { type: 'json' };

/** A file of weights that published graphs of image workflows name. */
export interface PublishedFile {
  /** As graphs name it: `sd_xl_base_1.0.safetensors`. */
  name: string;
  /** The folder below `models` in which graphs expect it. */
  folder: string;
  /** `user/repo` on the model hub. */
  repository: string;
  /** In the repository. */
  path: string;
  /** The name of the licence. Undefined: it was not looked up, and a pull reports what the hub says. */
  licence?: string;
  /** Within some percent. Undefined: unknown. */
  aboutBytes?: number;
}

/** From the templates of the official editor (`scripts/published-files/update.ts`). */
export const publishedFiles: readonly PublishedFile[] = files;

const byName = new Map(publishedFiles.map((file) => [file.name.toLowerCase(), file]));

/** The file with this name, without its folder. Of several in different folders: the last one. */
export const findPublishedFile = (name: string): PublishedFile | undefined => byName.get(name.toLowerCase());
