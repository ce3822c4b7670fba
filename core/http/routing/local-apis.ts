/** The APIs of this server itself, requested as a client requests them but without a network. */
export interface LocalApis {
  /**
   * Answers a request.
   * @param path with its query: `/api/chat`, `/prompt`
   */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}
