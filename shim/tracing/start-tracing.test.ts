import { expect, it } from 'vitest';
import { startTracing } from './start-tracing.ts';

const log = { warn: () => {} };
const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://localhost:4318';

it.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
  { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' },
  { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
])('nothing is traced with %j', async (env) => {
  expect(await startTracing(env, 'test', log)).toBeUndefined();
});

it.each([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' },
    /must look like http:\/\/localhost:4318, not localhost:4317/,
  ],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'zipkin' }, /is otlp or none, not zipkin/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /not by grpc/],
])('refuses %j', async (env, message) => {
  await expect(startTracing(env, 'test', log)).rejects.toThrow(message);
});
