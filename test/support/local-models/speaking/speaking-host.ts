/** A host whose engine speaks, and which pulls `speaks:tiny` from a source of its own. */
import type { LanguageEngine, ModelFile } from '#core/host';
import { speakingEngine } from '#core/local-models';
import { inlineTensors } from '../../host/inline-tensors.ts';
import { createTestHost, type TestHost, type TestHostOptions } from '../../host/test-host.ts';
import { filesSource } from '../files-source.ts';
import { tinyVoice } from './tiny-voice.ts';

export const SPEAKING_MODEL = 'speaks:tiny';

export function speakingHost(options: TestHostOptions = {}): TestHost {
  const engines: LanguageEngine[] = [...(options.engines ?? [])];
  const host = createTestHost({
    clock: 'real',
    ...options,
    engines,
    sources: [...(options.sources ?? []), filesSource({ [SPEAKING_MODEL]: tinyVoice() })],
  });
  const tensors = inlineTensors(async (file, start, end) =>
    host.blobs.blobs.get((file as ModelFile).digest)!.slice(start, end),
  );
  engines.push(speakingEngine({ tensors, blobs: host.blobs, log: host.log }));
  return host;
}
