import { modelVersion } from '@mlc-ai/web-llm';
import type { SerializedEngineError } from '#core/host';
import { EngineFailure } from '../shared/engine-failure.ts';

/** Libraries are compiled for one version of web-llm. */
const WEB_LLM_LIBRARIES = `with libraries ${modelVersion}`;

/** The error of a load, from the name and message of web-llm's error. */
export function webLlmLoadError(error: unknown): SerializedEngineError {
  if (error instanceof EngineFailure) return error.failure;
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  if (/ShaderF16Support|FeatureSupport|WebGPUNotAvailable|WebGPUNotFound|ArtifactManifest/.test(name)) {
    return { kind: 'unsupported', message };
  }
  if (name === 'CompileError' || name === 'LinkError') {
    return {
      kind: 'corrupt',
      message: `its model library is damaged, or made for another version of web-llm (${message})`,
    };
  }
  if (/DeviceLost/.test(name)) return { kind: 'memory', message: `the GPU device was lost: ${message}` };
  if (/out of memory|allocation failed|failed to allocate|exceeds the max buffer/i.test(message)) {
    return { kind: 'memory', message };
  }
  if (
    /has no file|no finite numbers|is not valid JSON|Unexpected token|JSON input|Cannot find function|tokenizer/i.test(
      message,
    )
  ) {
    return { kind: 'corrupt', message };
  }
  // An error without a known text comes from a library for another version, or from a kind of model that web-llm lacks.
  return { kind: 'unsupported', message: `web-llm ${WEB_LLM_LIBRARIES} could not load it: ${message}` };
}
