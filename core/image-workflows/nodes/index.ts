/** All nodes that tabd has. A new file of nodes needs one line here. */

import { attentionMultiplyNodes } from './attention-multiply.ts';
import { audioNodes } from './audio.ts';
import { compressedAudioNodes } from './audio-compressed.ts';
import { audioFileNodes } from './audio-files.ts';
import { boxNodes } from './boxes.ts';
import { checkpointLoaderNodes } from './checkpoint-loader.ts';
import { clipVisionNodes } from './clip-vision.ts';
import { conditioningNodes } from './conditioning.ts';
import { conditioningPropertyNodes } from './conditioning-properties.ts';
import { controlNetNodes } from './control-net.ts';
import { diffusionModelNodes } from './diffusion-models.ts';
import { hookNodes } from './hooks.ts';
import { hypernetworkLoader } from './hypernetwork.ts';
import { imageAnimationNodes } from './image-animation.ts';
import { imageBatchNodes } from './image-batch.ts';
import { imageFolderNodes } from './image-folder.ts';
import { imageLoadNodes } from './image-load.ts';
import { imagePostprocessingNodes } from './image-postprocessing.ts';
import { imageSaveNodes } from './image-save.ts';
import { imageTransformNodes } from './image-transform.ts';
import { imageUpscaleModelNodes } from './image-upscale-model.ts';
import { imageUpscalingNodes } from './image-upscaling.ts';
import { inpaintNodes } from './inpaint.ts';
import { languageNodes } from './language.ts';
import { latentBatchNodes } from './latent-batch.ts';
import { latentCreateNodes } from './latent-create.ts';
import { latentFileNodes } from './latent-files.ts';
import { latentMathNodes } from './latent-math.ts';
import { latentPartNodes } from './latent-parts.ts';
import { latentSizeNodes } from './latent-size.ts';
import { loraNodes } from './lora.ts';
import { loraSaveNodes } from './lora-save.ts';
import { lossGraphNodes } from './loss-graph.ts';
import { maskNodes } from './mask.ts';
import { maskCompositingNodes } from './mask-compositing.ts';
import { modelLoaderNodes } from './model-loaders.ts';
import { modelMergingNodes } from './model-merging.ts';
import { modelMergingSpecificNodes } from './model-merging-specific.ts';
import { modelRuntimeNodes } from './model-runtime.ts';
import { modelSavingNodes } from './model-saving.ts';
import { networkInsideNodes } from './network-inside.ts';
import type { AnyNode } from './node-type.ts';
import { pictureBesideNodes } from './pictures-beside.ts';
import { previewAny } from './preview-any.ts';
import { primitiveNodes } from './primitives.ts';
import { customSamplingNodes } from './sampling-custom.ts';
import { guidanceNodes } from './sampling-guidance.ts';
import { kSamplerNodes } from './sampling-ksampler.ts';
import { modelSamplingNodes } from './sampling-model.ts';
import { reuseNodes } from './sampling-reuse.ts';
import { schedulerNodes } from './sampling-schedulers.ts';
import { sigmaNodes } from './sampling-sigmas.ts';
import { solverNodes } from './sampling-solvers.ts';
import { selfAttentionGuidance } from './self-attention-guidance.ts';
import { shapeViewNodes } from './shape-views.ts';
import { shapeNodes } from './shapes.ts';
import { skipLayerGuidanceNodes } from './skip-layer-guidance.ts';
import { stringNodes } from './strings.ts';
import { textEncodingNodes } from './text-encoding.ts';
import { unclipNodes } from './unclip.ts';
import { unetPatchNodes } from './unet-patches.ts';
import { vaeTiledNodes } from './vae-tiled.ts';
import { vectorSaveNodes } from './vector-save.ts';
import { videoFileNodes } from './video-files.ts';
import { videoPartNodes } from './video-parts.ts';

export const nodeTypes: readonly AnyNode[] = [
  ...primitiveNodes,
  ...stringNodes,
  previewAny,
  ...latentCreateNodes,
  ...latentFileNodes,
  ...imageLoadNodes,
  ...imageFolderNodes,
  ...imageSaveNodes,
  ...imageAnimationNodes,
  ...imageBatchNodes,
  ...imagePostprocessingNodes,
  ...imageTransformNodes,
  ...imageUpscalingNodes,
  ...imageUpscaleModelNodes,
  ...maskNodes,
  ...maskCompositingNodes,
  ...conditioningNodes,
  ...conditioningPropertyNodes,
  ...hookNodes,
  ...diffusionModelNodes,
  ...modelLoaderNodes,
  ...clipVisionNodes,
  ...unclipNodes,
  ...pictureBesideNodes,
  ...boxNodes,
  ...modelMergingNodes,
  ...modelMergingSpecificNodes,
  ...modelSavingNodes,
  ...loraSaveNodes,
  ...checkpointLoaderNodes,
  ...textEncodingNodes,
  ...loraNodes,
  ...controlNetNodes,
  ...inpaintNodes,
  ...vaeTiledNodes,
  ...latentBatchNodes,
  ...latentMathNodes,
  ...latentPartNodes,
  ...latentSizeNodes,
  ...customSamplingNodes,
  ...guidanceNodes,
  ...kSamplerNodes,
  ...modelSamplingNodes,
  ...networkInsideNodes,
  ...unetPatchNodes,
  ...skipLayerGuidanceNodes,
  selfAttentionGuidance,
  hypernetworkLoader,
  ...attentionMultiplyNodes,
  ...reuseNodes,
  ...schedulerNodes,
  ...sigmaNodes,
  ...solverNodes,
  ...audioNodes,
  ...audioFileNodes,
  ...compressedAudioNodes,
  ...videoPartNodes,
  ...videoFileNodes,
  ...vectorSaveNodes,
  ...shapeNodes,
  ...shapeViewNodes,
  ...lossGraphNodes,
  ...modelRuntimeNodes,
  ...languageNodes,
];
