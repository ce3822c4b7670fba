import { ModelUnsupported } from '#core/host';
import type { LoadCommand, LoadedInfo } from '../protocol.ts';
import { type NativeContext, openImageLibrary } from './native-library.ts';

/** A model and its projector in the process for images. */
export interface ImageModel {
  context: NativeContext;
  contextLength: number;
  /** The text of the BOS token, if llama.cpp adds it to every prompt. */
  addedBos: string | undefined;
  loaded: LoadedInfo;
}

/** As many layers as any model has. */
const ALL_LAYERS = 9999;

/** @throws ModelUnsupported when the projector cannot be used with the model; Error when the model cannot be loaded */
export async function loadImageModel(
  command: LoadCommand,
  onProgress: (fraction: number) => void,
): Promise<ImageModel> {
  const { path, projector, adapters, options } = command;
  const gpu = command.gpu === 'auto' ? false : command.gpu;
  const { LlamaContext } = openImageLibrary(gpu);
  const cacheType = options.cacheType ?? 'f16';
  const context = new LlamaContext(
    {
      model: path,
      n_ctx: options.contextLength,
      n_batch: Math.min(options.batchSize, options.contextLength),
      n_gpu_layers: gpu === false ? 0 : options.gpuLayers < 0 ? ALL_LAYERS : options.gpuLayers,
      n_threads: options.threads,
      n_parallel: 1,
      use_mmap: options.useMmap ?? true,
      ctx_shift: false,
      flash_attn_type:
        cacheType !== 'f16'
          ? 'on'
          : options.flashAttention === undefined
            ? 'auto'
            : options.flashAttention
              ? 'on'
              : 'off',
      cache_type_k: cacheType,
      cache_type_v: cacheType,
      ...(adapters.length > 0 && { lora_list: adapters.map((path) => ({ path, scaled: 1 })) }),
    },
    (percent) => onProgress(percent / 100),
  );
  openProjector(context, projector!, gpu !== false);
  const { vision, audio } = context.getMultimodalSupport();
  if (!vision && !audio)
    throw new ModelUnsupported('the projector of this model takes neither images nor audio');
  const onGpu = context.getUsedDevices().length > 0;
  return {
    context,
    contextLength: options.contextLength,
    addedBos: await addedBos(context),
    loaded: {
      device: onGpu
        ? { kind: 'gpu', name: context.getUsedDevices().join(' + ') }
        : { kind: 'cpu', name: 'CPU' },
      gpu: onGpu ? gpu : false,
      contextLength: options.contextLength,
      embedding: false,
      parallel: 1,
      sharing: { acrossSequences: false, acrossPieces: true },
      memory: { total: 0, gpu: 0 },
    },
  };
}

/** @throws ModelUnsupported */
function openProjector(context: NativeContext, path: string, onGpu: boolean): void {
  let isOpen = false;
  try {
    isOpen = context.initMultimodal({ path, use_gpu: onGpu });
  } catch {
    // The library's message names no cause.
  }
  if (!isOpen) throw new ModelUnsupported('its projector is damaged, or was made for another model');
}

async function addedBos(context: NativeContext): Promise<string | undefined> {
  const bos = Number(context.getModelInfo().metadata['tokenizer.ggml.bos_token_id'] ?? Number.NaN);
  const { tokens } = await context.tokenize('a');
  return tokens[0] === bos ? context.detokenize([bos]) : undefined;
}
