/** What the server worker tells a worker of web-llm to load; all else is as with the other engines. */
export interface MlcLoadMessage {
  type: 'load';
  /** Name of the Web Lock that the worker holds for as long as it lives. */
  lock: string;
  /** The files of the repository by their paths in it. */
  files: [path: string, file: Blob][];
  library: Blob;
  contextLength: number;
}
