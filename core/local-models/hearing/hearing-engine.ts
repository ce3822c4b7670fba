import { Lazy } from '#core/base';
import type { LanguageEngine } from '#core/host';
import { whisperGraphs } from '../base/whisper-files.ts';
import type { HearingEngineParts } from './whisper/load-whisper.ts';

/** Creates the engine for models that write speech down. Its code is loaded with the first model. */
export function hearingEngine(parts: HearingEngineParts): LanguageEngine {
  const loader = new Lazy(async () => {
    const { WhisperLoader } = await import('./lazy.ts');
    return new WhisperLoader(parts);
  });
  return {
    name: parts.tensors.name,
    formats: ['onnx'],
    accepts: (files) => whisperGraphs(files) !== undefined,
    load: async (files, options, signal, onProgress) =>
      (await loader.get()).load(files, options, signal, onProgress),
  };
}
