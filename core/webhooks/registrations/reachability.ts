/**
 * Checks whether clients reach this server at its public address. The port may be closed, or belong to another
 * program, or to the server in Node while this one runs in a tab.
 */
import type { Clock, Network } from '#core/host';
import type { CalledPath } from './called-path.ts';

/** The webhook path of the check: a proxy may forward only webhooks. A workflow with this path takes precedence. */
const PATH = 'tabd-reachable';
const PARAMETER = 'server';
/** Milliseconds. */
const TIMEOUT = 3000;

type ReachabilityResult = { reachable: true } | { reachable: false; why: string };

export class Reachability {
  /** Differs for every server: the answer shows which server it comes from. */
  readonly #id = crypto.randomUUID();

  /** @param webhookPrefix the first part of webhook addresses */
  constructor(
    private readonly network: Network,
    private readonly clock: Clock,
    private readonly publicAddress: () => string,
    private readonly webhookPrefix: string,
  ) {}

  /**
   * Requests the public address, and compares the answer with this server's own.
   * @throws only the reason of the signal
   */
  async check(signal: AbortSignal): Promise<ReachabilityResult> {
    const address = this.publicAddress();
    const timeout = new AbortController();
    const cancel = this.clock.after(TIMEOUT, () =>
      timeout.abort(new Error(`no answer within ${TIMEOUT / 1000} s`)),
    );
    try {
      const url = `${address}/${this.webhookPrefix}/${PATH}?${PARAMETER}=${this.#id}`;
      const response = await this.network.fetch(url, {
        cache: 'no-store',
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout.signal]),
      });
      const text = response.ok ? await response.text() : '';
      await response.body?.cancel().catch(() => undefined);
      if (text === this.#id) return { reachable: true };
      return { reachable: false, why: `something else answers at ${address} (status ${response.status})` };
    } catch (error) {
      signal.throwIfAborted();
      return { reachable: false, why: `nothing answers at ${address}: ${causeOf(error)}` };
    } finally {
      cancel();
    }
  }

  /** The response to a request of the check. Undefined for any other call. */
  answer({ method, url }: Request, { mode, path }: CalledPath): Response | undefined {
    if (method !== 'GET' || mode !== 'production' || path !== PATH) return undefined;
    if (new URL(url).searchParams.get(PARAMETER) !== this.#id) return undefined;
    // The origin of a tab differs from that of the port.
    const headers = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' };
    return new Response(this.#id, { headers });
  }
}

function causeOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
