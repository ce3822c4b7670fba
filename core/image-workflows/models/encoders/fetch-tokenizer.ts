import type { FilePath, Host } from '#core/host';
import { hubEndpoint, hubHeaders } from '#core/settings';
import { type TokenizerName, tokenizerKind } from '../../text/tokenizer-kinds.ts';

/** Bytes. The largest tokenizer in use has half of that. */
const MAX_SIZE = 2 ** 26;

/**
 * A file of a tokenizer from the model hub: from `HF_ENDPOINT`, with the token `HF_TOKEN` if they are set. Or from its own
 * address, without the token.
 * Rejects with an error that names the address and `place`, and with the signal's reason.
 * @param place where a person can put the file
 */
export async function fetchTokenizer(
  host: Pick<Host, 'network' | 'setting' | 'log'>,
  name: TokenizerName,
  file: string,
  place: FilePath,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; url: string }> {
  const { label, repository, licence, address } = tokenizerKind(name);
  const url = address ?? `${hubEndpoint(host)}/${repository}/resolve/main/${file}`;
  host.log.info(`fetching the tokenizer of ${label} (${licence}) from ${url}`);
  try {
    // The token of the hub is for the hub alone.
    const headers = address === undefined ? hubHeaders(host) : {};
    const response = await host.network.fetch(url, { headers, signal, credentials: 'omit' });
    if (!response.ok) {
      await response.body?.cancel();
      const isRefused = response.status === 401 || response.status === 403;
      throw new Error(`the answer was ${response.status}${isRefused ? ': it may need HF_TOKEN' : ''}`);
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.length > MAX_SIZE) throw new Error(`it has ${bytes.length} bytes, which is too large`);
    return { bytes, url };
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `the tokenizer of ${label} could not be fetched from ${url} (${reason}): connect to the internet, ${address === undefined ? 'name a mirror by HF_ENDPOINT, ' : ''}or put that file at ${place}`,
      { cause: error },
    );
  }
}
