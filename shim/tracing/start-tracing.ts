import { TABD_VERSION } from '#core/base';
import type { Log } from '#core/host';
import { settingValue } from '../base/setting-value.ts';
import { UsageError } from '../base/usage-error.ts';
import type { OpenTelemetry } from './open-telemetry.ts';

/** Protocols whose address also takes JSON, which tabd sends. */
const PROTOCOLS = ['http/protobuf', 'http/json'];

/**
 * Sends spans to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT`. The packages read the other settings of OpenTelemetry:
 * headers, sampler, size of batches.
 * @param instance the name of this process
 * @returns undefined when no collector is configured
 * @throws UsageError for settings that tabd cannot follow
 */
export async function startTracing(
  env: NodeJS.ProcessEnv,
  instance: string,
  log: Pick<Log, 'warn'>,
): Promise<OpenTelemetry | undefined> {
  if (!isConfigured(env)) return undefined;
  const { context, diag, DiagLogLevel, propagation, trace } = await import('@opentelemetry/api');
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources');
  // A collector that is away says the same for every batch.
  let lastProblem = '';
  const report = (...words: unknown[]) => {
    const problem = words.map(String).join(' ');
    if (problem !== lastProblem) log.warn('tracing', { problem: problem.slice(0, 500) });
    lastProblem = problem;
  };
  const ignore = () => {};
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, DiagLogLevel.WARN);
  const own = resourceFromAttributes({
    'service.name': 'tabd',
    'service.version': TABD_VERSION,
    'service.instance.id': instance,
  });
  const provider = new NodeTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  const { OpenTelemetry } = await import('./open-telemetry.ts');
  return new OpenTelemetry(TABD_VERSION, async () => {
    await provider.shutdown().catch(report);
    // The next start in this process may have another collector.
    for (const part of [trace, context, propagation, diag]) part.disable();
  });
}

function isConfigured(env: NodeJS.ProcessEnv): boolean {
  const setting = (name: string) => settingValue(env[name]);
  const isOff = setting('OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
  const exporter = setting('OTEL_TRACES_EXPORTER') ?? 'otlp';
  const address = setting('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? setting('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (isOff || exporter === 'none' || address === undefined) return false;
  if (exporter !== 'otlp') throw new UsageError(`OTEL_TRACES_EXPORTER is otlp or none, not ${exporter}`);
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new UsageError(`the address of the collector must look like http://localhost:4318, not ${address}`);
  const protocol =
    setting('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? setting('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/json';
  if (!PROTOCOLS.includes(protocol))
    throw new UsageError(`traces are sent by ${PROTOCOLS.join(' or ')}, not by ${protocol}`);
  return true;
}
