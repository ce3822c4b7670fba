/** The APIs of this very server, requested like any client requests them, but without a network. */
export interface LocalApis {
  /** @param path `/api/chat`, `/prompt` and the like, with its query */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}
