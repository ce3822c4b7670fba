import { ModelsClient } from '../api-client.ts';
import type { ImageState } from '../images/image-state.ts';
import { AddedFiles } from '../models/files/added-files.ts';
import { ModelFileClient } from '../models/files/model-file-client.ts';
import { Pulls } from '../models/pulls.ts';
import type { BackendConnection, ServerName } from './connection.ts';

/** The clients and the state of one server. They stay active while the app shows another server. */
export class ServerSession {
  readonly api: ModelsClient;
  readonly pulls: Pulls;
  /** Undefined until the view of images is first opened (`images/images-of.ts`). */
  images: ImageState | undefined;
  readonly addedFiles: AddedFiles;

  constructor(
    readonly name: ServerName,
    readonly connection: BackendConnection,
    readonly changed: () => void,
    /** Imports the GGUF files of one model. Undefined: this server takes none from the page. */
    importGguf?: (files: readonly File[]) => Promise<void>,
  ) {
    this.api = new ModelsClient((input, init) => connection.fetch(input, init));
    this.pulls = new Pulls(this.api, changed, storageFor(name));
    const reload = async () => this.images?.load();
    this.addedFiles = new AddedFiles(new ModelFileClient(connection), changed, reload, importGguf);
  }
}

/** Local storage with a separate set of keys for each server. */
function storageFor(name: ServerName): Pick<Storage, 'getItem' | 'setItem'> {
  if (name === 'tab') return localStorage;
  const of = (key: string) => `${key}@${name}`;
  return {
    getItem: (key) => localStorage.getItem(of(key)),
    setItem: (key, value) => localStorage.setItem(of(key), value),
  };
}
