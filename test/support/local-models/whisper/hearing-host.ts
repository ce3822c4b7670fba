/** A host whose engine hears, and which pulls `hears:tiny` from a source of its own. */
import type { LanguageEngine, ModelFile } from '#core/host';
import { hearingEngine } from '#core/local-models';
import { inlineTensors } from '../../host/inline-tensors.ts';
import { createTestHost, type TestHost, type TestHostOptions } from '../../host/test-host.ts';
import { filesSource } from '../files-source.ts';
import { tinyWhisper } from './tiny-whisper.ts';

export const HEARING_MODEL = 'hears:tiny';

export function hearingHost(options: TestHostOptions = {}): TestHost {
  const engines: LanguageEngine[] = [...(options.engines ?? [])];
  const host = createTestHost({
    clock: 'real',
    ...options,
    engines,
    sources: [...(options.sources ?? []), filesSource({ [HEARING_MODEL]: tinyWhisper() })],
  });
  const tensors = inlineTensors(async (file, start, end) =>
    host.blobs.blobs.get((file as ModelFile).digest)!.slice(start, end),
  );
  engines.push(hearingEngine({ tensors, blobs: host.blobs, log: host.log }));
  return host;
}

/** A WAV file of 8 bits with one channel. @param at the sample at an index, from -1 to 1 */
export function wavFile(
  seconds: number,
  at: (index: number) => number = (index) => Math.sin(index / 3) / 2,
  rate = 16_000,
): Uint8Array<ArrayBuffer> {
  const samples = Math.round(seconds * rate);
  const bytes = new Uint8Array(44 + samples);
  const view = new DataView(bytes.buffer);
  const text = (offset: number, letters: string) => bytes.set(new TextEncoder().encode(letters), offset);
  text(0, 'RIFF');
  view.setUint32(4, 36 + samples, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  text(36, 'data');
  view.setUint32(40, samples, true);
  for (let index = 0; index < samples; index++) bytes[44 + index] = 128 + Math.round(at(index) * 127);
  return bytes;
}
