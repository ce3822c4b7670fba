const PATHS = new Set([
  '/api/chat',
  '/api/generate',
  '/api/embed',
  '/api/embeddings',
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/audio/speech',
  '/v1/responses',
  '/v1/messages',
]);

/** Whether a request of the models' API is answered by a model that its body names, and leaves no state. */
export function isModelWork(method: string, pathname: string): boolean {
  return method === 'POST' && PATHS.has(pathname);
}
