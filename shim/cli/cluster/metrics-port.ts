import { UsageError } from '../../base/usage-error.ts';
import { CONTENT_TYPE } from '../../metrics/instruments.ts';
import { knownGpus } from '../../metrics/known-gpus.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { PortTaken } from '../../ports/bind.ts';
import { PortListener } from '../../ports/listener.ts';
import type { NodeCore } from '../node-core.ts';

/** Where a worker answers `/metrics` and `/healthz`. */
export interface MetricsAddress {
  port: number;
  address?: string;
}

/** Reads `--metrics`: a port, or an address and a port (`0.0.0.0:9464`). @throws UsageError */
export function readMetricsAddress(option: string | true | undefined): MetricsAddress | undefined {
  if (option === undefined) return undefined;
  const [, address, port] = /^(?:(.+):)?(\d{1,5})$/.exec(String(option)) ?? [];
  if (port === undefined || Number(port) > 65_535)
    throw new UsageError(`--metrics is a port or ADDRESS:PORT, not ${option}`);
  return { port: Number(port), ...(address !== undefined && { address: address.replace(/^\[|\]$/g, '') }) };
}

/** Opens the port of a worker for Prometheus and for probes. @throws UsageError when the port is taken */
export async function openMetricsPort(
  { port, address }: MetricsAddress,
  core: NodeCore,
  metrics: Metrics,
): Promise<PortListener> {
  try {
    return await PortListener.open(
      {
        async fetch(request) {
          const { pathname } = new URL(request.url);
          if (pathname === '/healthz') return Response.json({ status: 'ok' });
          if (pathname !== '/metrics') return new Response('404 page not found\n', { status: 404 });
          return new Response(await print(core, metrics), { headers: { 'content-type': CONTENT_TYPE } });
        },
        connect: async () => new Response('no WebSocket is answered here\n', { status: 404 }),
      },
      { port, ...(address !== undefined && { address }) },
    );
  } catch (error) {
    if (!(error instanceof PortTaken)) throw error;
    throw new UsageError(`port ${port} is taken: choose another with --metrics PORT`);
  }
}

async function print({ text, webhooks, host }: NodeCore, metrics: Metrics): Promise<string> {
  return metrics.print({
    models: { loaded: text.loaded().length, waiting: text.waiting() },
    webhooks: { running: (await webhooks.load()).running },
    gpus: await knownGpus(host.machine),
  });
}
