import { context, propagation, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { FakeRegistry, FakeTextService } from '#test/support/local-models/fake-text-service.ts';
import { OpenTelemetry } from './open-telemetry.ts';
import { tracedText } from './traced-text.ts';

const exporter = new InMemorySpanExporter();
const parts = [context, propagation, trace];
beforeAll(() => {
  // Another test of this process may have registered its own.
  for (const part of parts) part.disable();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
});
afterEach(() => exporter.reset());
afterAll(() => {
  for (const part of parts) part.disable();
});

const { signal } = new AbortController();
const request = {
  model: 'smollm2:135m',
  messages: [{ role: 'user', content: 'A' }],
} as unknown as Parameters<FakeTextService['chat']>[0];
const statistics = {
  totalDuration: 60e6,
  loadDuration: 10e6,
  promptEvalCount: 5,
  promptEvalDuration: 20e6,
  evalCount: 7,
  evalDuration: 30e6,
};

function service(): FakeTextService {
  const fake = new FakeTextService(new FakeRegistry());
  fake.events = [
    { type: 'text', content: 'A', thinking: '' },
    { type: 'done', reason: 'stop', statistics },
  ];
  return fake;
}
const traced = (fake: FakeTextService) => tracedText(fake, new OpenTelemetry('1', async () => {}));
const milliseconds = ([seconds, nanoseconds]: [number, number]) => seconds * 1000 + nanoseconds / 1e6;

it('an answer is a span with its parts, one after the other', async () => {
  const run = await traced(service()).chat(request, signal);
  if (run.kind !== 'events') throw new Error(run.kind);
  for await (const _event of run.events) {
    // The span ends with the last event.
  }
  const spans = exporter.getFinishedSpans();
  const [answer] = spans.filter(({ name }) => name === 'chat smollm2:135m');
  expect(answer!.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'smollm2:135m',
    'gen_ai.usage.input_tokens': 5,
    'gen_ai.usage.output_tokens': 7,
  });
  const phases = spans.filter(
    ({ parentSpanContext }) => parentSpanContext?.spanId === answer!.spanContext().spanId,
  );
  phases.sort((a, b) => milliseconds(a.startTime) - milliseconds(b.startTime));
  expect(phases.map(({ name, duration }) => [name, Math.round(milliseconds(duration))])).toEqual([
    ['load model', 10],
    ['read prompt', 20],
    ['write', 30],
  ]);
});

it('the span of an answer that fails, or that nobody reads to its end, ends too', async () => {
  const refusing = service();
  refusing.chat = async () => {
    throw new Error('no such model');
  };
  await expect(traced(refusing).chat(request, signal)).rejects.toThrow('no such model');
  const run = await traced(service()).chat(request, signal);
  if (run.kind === 'events') for await (const _event of run.events) break;
  expect(exporter.getFinishedSpans().map(({ name, status }) => [name, status.message])).toEqual([
    ['chat smollm2:135m', 'Error: no such model'],
    ['chat smollm2:135m', undefined],
  ]);
});
