import type { PrebuiltModel } from '#core/host';

/** The fields of an entry of web-llm's `prebuiltAppConfig` that are used here. */
export interface ListedModel {
  model: string;
  model_id: string;
  model_lib: string;
  vram_required_MB?: number;
  model_manifest?: string;
  /** The kind of the model. 0: language, 1: embeddings, 2: language and images. */
  model_type?: number;
}

const EMBEDDING_MODEL = 1;

/** Turns web-llm's list into that of the host. Leaves out embedding models, which do not run here. */
export function toPrebuiltModels(list: ListedModel[]): PrebuiltModel[] {
  return list
    .filter(({ model_type }) => model_type !== EMBEDDING_MODEL)
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
