import { expect, it } from 'vitest';
import { FakeRegistry, FakeTextService } from '#test/support/local-models/fake-text-service.ts';
import { Metrics } from './metrics.ts';

const { signal } = new AbortController();

it('counts the tokens of transcripts, and passes all events on', async () => {
  const service = new FakeTextService(new FakeRegistry());
  const segment = {
    seek: 0,
    start: 0,
    end: 1,
    text: ' A',
    tokens: [1, 2, 3],
    temperature: 0,
    averageLogprob: 0,
    compressionRatio: 1,
    noSpeechProbability: 0,
  };
  service.heard = [
    { type: 'language', language: 'en' },
    { type: 'segment', segment },
    { type: 'segment', segment },
    { type: 'done', duration: 2.5 },
  ];
  const metrics = new Metrics();
  const request = { model: 'whisper', audio: new Uint8Array(1), task: 'transcribe', words: false } as const;
  const run = await metrics.meter(service).hear(request, signal);
  await run.ready;
  const types: string[] = [];
  for await (const { type } of run.events) types.push(type);
  expect(types).toEqual(['language', 'segment', 'segment', 'done']);
  expect(metrics.print({})).toContain('tabd_tokens_total{model="whisper",kind="answer"} 6');
});

it('counts the tokens of spoken texts', async () => {
  const service = new FakeTextService(new FakeRegistry());
  const part = { samples: new Float32Array(1), sampleRate: 24_000, tokens: 4 };
  service.spoken = [
    { type: 'speech', ...part, isLast: false },
    { type: 'speech', ...part, isLast: true },
    { type: 'done' },
  ];
  const metrics = new Metrics();
  const run = await metrics
    .meter(service)
    .speak({ model: 'kokoro', text: 'A. B.', voice: '', speed: 1 }, signal);
  const types: string[] = [];
  for await (const { type } of run.events) types.push(type);
  expect(types).toEqual(['speech', 'speech', 'done']);
  expect(metrics.print({})).toContain('tabd_tokens_total{model="kokoro",kind="prompt"} 8');
});
