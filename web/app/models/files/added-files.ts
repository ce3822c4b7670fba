import { errorMessage } from '#core/base';
import { modelFileStrings } from '../../strings/model-files.ts';
import { groupParts } from '../group-parts.ts';
import type { FoundKind, ModelFileClient } from './model-file-client.ts';

/** A file of a model on its way to its folder. */
export interface AddedFile {
  /** The file, or the first part of one that was split. */
  file: File;
  /** The other parts. */
  otherParts: File[];
  /** `asking`: the person chooses the folder, because the kind is unclear. */
  state: 'checking' | 'asking' | 'copying' | 'done' | 'failed';
  found: FoundKind;
  /** The folder that it goes to, once that is known. */
  folder: string | undefined;
  /** Bytes. */
  completed: number;
  error: string | undefined;
  abort: AbortController;
}

/** The size of a file with all of its parts, in bytes. */
export const sizeOf = ({ file, otherParts }: AddedFile): number =>
  otherParts.reduce((sum, { size }) => sum + size, file.size);

/** The answer for a text encoder that is a language model, too: it is imported for chat. */
export const CHAT = 'chat';

const MODEL_FILE = /\.(safetensors|sft|ckpt|pt|pt2|pth|bin|pkl|onnx|gguf)$/i;

/** Whether the name of a file is one of a model. */
export const isModelFileName = (name: string): boolean => MODEL_FILE.test(name);

/** The files that were added to one server since the page opened. Large ones arrive one after another. */
export class AddedFiles {
  readonly list: AddedFile[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly client: Pick<ModelFileClient, 'kindOf' | 'add'>,
    private readonly changed: () => void,
    /** Called after a file is complete. */
    private readonly onAdded: () => Promise<void> | void,
    /** Imports a language model. Undefined: this server takes none from the page. */
    private readonly importGguf?: (files: readonly File[]) => Promise<void>,
  ) {}

  /** Adds files. Resolves when each is complete, has failed, or waits for an answer. */
  async add(files: Iterable<File>): Promise<void> {
    await Promise.all(groupParts(files).map(([file, ...otherParts]) => this.#check(file!, otherParts)));
  }

  /** Answers the question for the folder of a file. */
  choose(added: AddedFile, folder: string): Promise<void> {
    return folder === CHAT ? this.#attempt(added, () => this.#import(added)) : this.#copy(added, folder);
  }

  /** Ends a file that is not complete, and takes it out of the list. */
  remove(added: AddedFile): void {
    added.abort.abort();
    const index = this.list.indexOf(added);
    if (index >= 0) this.list.splice(index, 1);
    this.changed();
  }

  async #check(file: File, otherParts: File[]): Promise<void> {
    const added: AddedFile = {
      file,
      otherParts,
      state: 'checking',
      found: {},
      folder: undefined,
      completed: 0,
      error: undefined,
      abort: new AbortController(),
    };
    this.list.push(added);
    this.changed();
    await this.#attempt(added, async () => {
      if (!isModelFileName(file.name)) throw new Error(modelFileStrings.notModel(file.name));
      added.found = await this.client.kindOf(file, added.abort.signal);
      const { folder, folders, isLanguageModel } = added.found;
      if (folder !== undefined) return this.#copy(added, folder);
      if (isLanguageModel && !folders) return this.#import(added);
      if (isLanguageModel && this.importGguf) added.found = { ...added.found, folders: [...folders!, CHAT] };
      added.state = 'asking';
    });
  }

  /** The import shows its own progress. */
  async #import(added: AddedFile): Promise<void> {
    if (!this.importGguf) throw new Error(modelFileStrings.ggufOnComputer(added.file.name));
    this.remove(added);
    await this.importGguf([added.file, ...added.otherParts]);
  }

  async #copy(added: AddedFile, folder: string): Promise<void> {
    Object.assign(added, { state: 'copying', folder });
    this.changed();
    const { file, otherParts, abort } = added;
    const copying = this.#last.then(() =>
      this.#attempt(added, async () => {
        abort.signal.throwIfAborted();
        let before = 0;
        for (const part of [file, ...otherParts]) {
          const onProgress = (completed: number) => {
            added.completed = before + completed;
            this.changed();
          };
          await this.client.add(part, folder, onProgress, abort.signal);
          before += part.size;
        }
        added.state = 'done';
        await this.onAdded();
      }),
    );
    this.#last = copying;
    await copying;
  }

  async #attempt(added: AddedFile, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!added.abort.signal.aborted) Object.assign(added, { state: 'failed', error: errorMessage(error) });
    }
    this.changed();
  }
}
