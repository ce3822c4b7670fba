import url from '../../workers/server.worker.ts?worker&url';

/** Where the build has put the server worker. */
export const defaultWorker = new URL(url, import.meta.url);
