/** Many requests on several connections at once. */
import autocannon from 'autocannon';

export interface HttpLoad {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  connections: number;
  /** Seconds, or the number of requests. */
  how: { duration: number } | { amount: number };
  signal?: AbortSignal;
}

/** @throws if an answer is not 2xx, or if one does not come */
export async function loadHttp({ how, signal, ...options }: HttpLoad): Promise<autocannon.Result> {
  signal?.throwIfAborted();
  const result = await run({ ...options, ...how, bailout: 1 }, signal);
  signal?.throwIfAborted();
  const { non2xx, errors, timeouts } = result;
  const { pathname } = new URL(options.url);
  if (non2xx > 0 || errors > 0)
    throw new Error(
      `${pathname}: ${errors} requests got no answer (${timeouts} within the time limit), ${non2xx} an error, ` +
        `${result['2xx']} the right one`,
    );
  if (result.requests.total === 0) throw new Error(`${pathname}: no answer in ${result.duration} s`);
  return result;
}

function run(options: autocannon.Options, signal?: AbortSignal): Promise<autocannon.Result> {
  return new Promise((resolve, reject) => {
    const stop = () => instance.stop();
    const instance = autocannon(options, (error, result) => {
      signal?.removeEventListener('abort', stop);
      if (error) reject(error);
      else resolve(result);
    });
    signal?.addEventListener('abort', stop);
  });
}
