/**
 * Whether callers get to this very server by its public address: it goes there itself, and knows its own answer. A port
 * may be closed, belong to another program, or to the server in Node while this one is in a tab.
 */
import type { Clock, Network } from '#core/host';
import type { CalledPath } from './called-path.ts';

/** Below `/webhook/`, as a proxy may let nothing else through; a workflow that has this path keeps it. */
const PATH = 'tabd-reachable';
const PARAMETER = 'server';
/** Milliseconds. */
const PATIENCE = 3000;

export type Reached = { reachable: true } | { reachable: false; why: string };

export class Reachability {
  readonly #id = crypto.randomUUID();

  constructor(
    private readonly network: Network,
    private readonly clock: Clock,
    private readonly publicAddress: () => string,
    /** How addresses of webhooks begin. */
    private readonly webhook: string,
  ) {}

  /** Rejects with the signal's reason only. */
  async check(signal: AbortSignal): Promise<Reached> {
    const address = this.publicAddress();
    const late = new AbortController();
    const cancel = this.clock.after(PATIENCE, () =>
      late.abort(new Error(`no answer within ${PATIENCE / 1000} s`)),
    );
    try {
      const response = await this.network.fetch(
        `${address}/${this.webhook}/${PATH}?${PARAMETER}=${this.#id}`,
        {
          cache: 'no-store',
          redirect: 'manual',
          signal: AbortSignal.any([signal, late.signal]),
        },
      );
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

  /** The answer to such a visit; undefined for any other call. */
  answer({ method, url }: Request, { mode, path }: CalledPath): Response | undefined {
    if (method !== 'GET' || mode !== 'production' || path !== PATH) return undefined;
    if (new URL(url).searchParams.get(PARAMETER) !== this.#id) return undefined;
    // A tab asks from its own origin, not from that of the port.
    const headers = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' };
    return new Response(this.#id, { headers });
  }
}

function causeOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
}
