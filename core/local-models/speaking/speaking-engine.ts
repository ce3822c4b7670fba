import { Lazy } from '#core/base';
import type { LanguageEngine } from '#core/host';
import { voiceFiles } from '../base/voice-files.ts';
import type { SpeakingEngineParts } from './kokoro/load-kokoro.ts';

/** Creates the engine for models that say texts aloud. Its code and its dictionary are loaded with the first model. */
export function speakingEngine(parts: SpeakingEngineParts): LanguageEngine {
  const loader = new Lazy(async () => {
    const { KokoroLoader } = await import('./lazy.ts');
    return new KokoroLoader(parts);
  });
  return {
    name: parts.tensors.name,
    formats: ['onnx'],
    accepts: (files) => voiceFiles(files) !== undefined,
    load: async (files, options, signal, onProgress) =>
      (await loader.get()).load(files, options, signal, onProgress),
  };
}
