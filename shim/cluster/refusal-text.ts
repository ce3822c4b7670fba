/** Why a request could not be passed to a worker, for its caller: an answer of Redis without its details. */
export function refusalText(cause: unknown): string {
  const { message, name } = cause as Error;
  if (name !== 'ReplyError') return message;
  const [code = ''] = message.split(' ');
  return code === 'OOM'
    ? 'the Redis server of this cluster has no memory left'
    : `the Redis server of this cluster refuses the work (${code})`;
}
