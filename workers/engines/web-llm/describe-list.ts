import type { PrebuiltModel } from '#core/host';

/** An entry of web-llm's `prebuiltAppConfig`, as far as it is used. */
export interface ListedModel {
  model: string;
  model_id: string;
  model_lib: string;
  vram_required_MB?: number;
  model_manifest?: string;
  /** 0 language, 1 vectors of texts, 2 language and images. */
  model_type?: number;
}

const VECTORS = 1;

/** web-llm's list in the words of the host; models for vectors are left out, which web-llm does not run here. */
export function describeList(list: ListedModel[]): PrebuiltModel[] {
  return list
    .filter(({ model_type }) => model_type !== VECTORS)
    .map(({ model, model_id, model_lib, vram_required_MB, model_manifest }) => ({
      id: model_id,
      format: 'mlc' as const,
      repository: model,
      library: model_lib,
      quantization: /-(q\d+f\d+(?:_\d+)?)-/.exec(model_id)?.[1] ?? '',
      ...(vram_required_MB === undefined ? {} : { gpuMemory: Math.round(vram_required_MB * 2 ** 20) }),
      ...(model_manifest === undefined ? {} : { manifest: model_manifest }),
    }));
}
