/** All nodes of tabd, in the order of `/object_info`. A new file of nodes needs one line here. */

import { compressedAudioNodes } from './audio/compressed.ts';
import { audioEditNodes } from './audio/edit.ts';
import { audioEncoderNodes } from './audio/encoders.ts';
import { audioFileNodes } from './audio/files.ts';
import { audioLatentNodes } from './audio/latents.ts';
import { aceStep15Nodes } from './conditioning/ace-step-15.ts';
import { clipTextNodes } from './conditioning/clip-text.ts';
import { clipVisionNodes } from './conditioning/clip-vision.ts';
import { conditioningNodes } from './conditioning/conditioning.ts';
import { editInstructionNodes } from './conditioning/edit-instructions.ts';
import { gligenNodes } from './conditioning/gligen.ts';
import { hookNodes } from './conditioning/hooks.ts';
import { imageToVideoNodes } from './conditioning/image-to-video.ts';
import { inpaintNodes } from './conditioning/inpaint.ts';
import { lotusConditioning } from './conditioning/lotus.ts';
import { photoMakerNodes } from './conditioning/photo-maker.ts';
import { conditioningPropertyNodes } from './conditioning/properties.ts';
import { referenceLatentNodes } from './conditioning/reference-latents.ts';
import { textEncodingNodes } from './conditioning/text-encoding.ts';
import { timingNodes } from './conditioning/timing.ts';
import { transformerTextNodes } from './conditioning/transformer-text.ts';
import { unclipNodes } from './conditioning/unclip.ts';
import { controlNetNodes } from './control/control-net.ts';
import { imageAnimationNodes } from './image/animation.ts';
import { imageBatchNodes } from './image/batch.ts';
import { anyNumberNodes } from './image/batch-any-number.ts';
import { imageFolderNodes } from './image/folder.ts';
import { imageLoadNodes } from './image/load.ts';
import { lossGraphNodes } from './image/loss-graph.ts';
import { imagePostprocessingNodes } from './image/postprocessing.ts';
import { imageResizeNodes } from './image/resize.ts';
import { resizeImageMask } from './image/resize-any.ts';
import { imageSaveNodes } from './image/save.ts';
import { saveImageAdvanced } from './image/save-advanced.ts';
import { svgSaveNodes } from './image/save-svg.ts';
import { imageTransformNodes } from './image/transform.ts';
import { imageUpscaleModelNodes } from './image/upscale-model.ts';
import type { AnyNode } from './kernel/node-type.ts';
import { languageNodes } from './language/language-nodes.ts';
import { textGenerate } from './language/text-generate.ts';
import { latentBatchNodes } from './latent/batch.ts';
import { latentConcatNodes } from './latent/concat-and-cut.ts';
import { latentCreateNodes } from './latent/create.ts';
import { familyLatentNodes } from './latent/create-for-families.ts';
import { latentFileNodes } from './latent/files.ts';
import { latentMathNodes } from './latent/math.ts';
import { latentSizeNodes } from './latent/size.ts';
import { stableCascadeNodes } from './latent/stable-cascade.ts';
import { vaeNodes } from './latent/vae.ts';
import { vaeTiledNodes } from './latent/vae-tiled.ts';
import { maskCompositingNodes } from './mask/compositing.ts';
import { maskNodes } from './mask/masks.ts';
import { attentionMultiplyNodes } from './model/attention-multiply.ts';
import { checkpointLoader, simpleCheckpointLoader } from './model/checkpoint-loaders.ts';
import { ggufLoaderNodes } from './model/gguf-loaders.ts';
import { hypernetworkLoader } from './model/hypernetwork.ts';
import { imageOnlyCheckpointLoader } from './model/image-only-checkpoint.ts';
import { loraNodes } from './model/lora.ts';
import { loraSaveNodes } from './model/lora-save.ts';
import { modelMergingNodes } from './model/merging.ts';
import { architectureMergingNodes } from './model/merging-by-architecture.ts';
import { modelPatchNodes } from './model/model-patches.ts';
import { modelLoaderNodes } from './model/part-loaders.ts';
import { radianceOptions } from './model/radiance-options.ts';
import { modelRuntimeNodes } from './model/runtime.ts';
import { modelSavingNodes } from './model/saving.ts';
import { unetPatchNodes } from './model/unet-patches.ts';
import { contextWindowNodes } from './sampling/context-windows.ts';
import { customSamplingNodes } from './sampling/custom.ts';
import { guidanceNodes } from './sampling/guidance.ts';
import { kSamplerNodes } from './sampling/ksampler.ts';
import { modelSamplingNodes } from './sampling/model-sampling.ts';
import { perturbedAttentionGuidance } from './sampling/perturbed-attention-guidance.ts';
import { schedulerNodes } from './sampling/schedulers.ts';
import { selfAttentionGuidanceNode } from './sampling/self-attention-guidance.ts';
import { sigmaNodes } from './sampling/sigmas.ts';
import { skipLayerGuidanceNodes } from './sampling/skip-layer-guidance.ts';
import { solverNodes } from './sampling/solvers.ts';
import { stepCacheNodes } from './sampling/step-cache.ts';
import { hunyuan3dNodes } from './shapes/hunyuan3d.ts';
import { meshNodes } from './shapes/meshes.ts';
import { shapeViewNodes } from './shapes/rendered-views.ts';
import { datasetNodes } from './training/datasets.ts';
import { loraModelNodes } from './training/lora-model.ts';
import { trainingNodes } from './training/train-lora.ts';
import { calculatingNodes } from './values/calculate.ts';
import { choosingNodes } from './values/choose.ts';
import { listNodes } from './values/lists.ts';
import { previewAny } from './values/preview-any.ts';
import { primitiveNodes } from './values/primitives.ts';
import { stringNodes } from './values/strings.ts';
import { textDataNodes } from './values/text-data.ts';
import { videoComponentNodes } from './video/components.ts';
import { cosmosNodes } from './video/cosmos.ts';
import { videoFileNodes } from './video/files.ts';
import { hunyuanVideoNodes } from './video/hunyuan.ts';
import { hunyuanVideo15Nodes } from './video/hunyuan15.ts';
import { ltxvNodes } from './video/ltxv.ts';
import { ltxvGuideNodes } from './video/ltxv-guides.ts';
import { ltxvPreprocessNodes } from './video/ltxv-preprocess.ts';
import { wanNodes } from './video/wan.ts';
import { wanAnimateNodes } from './video/wan-animate.ts';
import { wanCameraNodes } from './video/wan-camera.ts';
import { wanGuideNodes } from './video/wan-guides.ts';
import { wanSpeechNodes } from './video/wan-speech.ts';
import { wanTrackNodes } from './video/wan-tracks.ts';

export const nodeTypes: readonly AnyNode[] = [
  ...primitiveNodes,
  ...choosingNodes,
  ...stringNodes,
  ...textDataNodes,
  ...calculatingNodes,
  ...listNodes,
  previewAny,
  ...latentCreateNodes,
  ...familyLatentNodes,
  ...stableCascadeNodes,
  ...latentFileNodes,
  ...imageLoadNodes,
  ...imageFolderNodes,
  ...imageSaveNodes,
  saveImageAdvanced,
  ...imageAnimationNodes,
  ...imageBatchNodes,
  ...anyNumberNodes,
  resizeImageMask,
  ...imagePostprocessingNodes,
  ...imageTransformNodes,
  ...imageResizeNodes,
  ...imageUpscaleModelNodes,
  ...maskNodes,
  ...maskCompositingNodes,
  ...conditioningNodes,
  ...conditioningPropertyNodes,
  ...hookNodes,
  simpleCheckpointLoader,
  ...clipTextNodes,
  ...transformerTextNodes,
  ...aceStep15Nodes,
  ...editInstructionNodes,
  ...vaeNodes,
  ...modelLoaderNodes,
  ...clipVisionNodes,
  ...unclipNodes,
  ...timingNodes,
  ...audioLatentNodes,
  ...imageToVideoNodes,
  ...referenceLatentNodes,
  ...gligenNodes,
  ...photoMakerNodes,
  lotusConditioning,
  ...modelMergingNodes,
  ...architectureMergingNodes,
  ...modelSavingNodes,
  ...ggufLoaderNodes,
  ...loraSaveNodes,
  checkpointLoader,
  imageOnlyCheckpointLoader,
  ...audioEncoderNodes,
  ...modelPatchNodes,
  ...textEncodingNodes,
  ...loraNodes,
  ...controlNetNodes,
  ...inpaintNodes,
  ...vaeTiledNodes,
  ...latentBatchNodes,
  ...latentMathNodes,
  ...latentConcatNodes,
  ...latentSizeNodes,
  ...customSamplingNodes,
  ...guidanceNodes,
  ...kSamplerNodes,
  ...modelSamplingNodes,
  perturbedAttentionGuidance,
  ...unetPatchNodes,
  ...skipLayerGuidanceNodes,
  selfAttentionGuidanceNode,
  hypernetworkLoader,
  radianceOptions,
  ...attentionMultiplyNodes,
  ...stepCacheNodes,
  ...contextWindowNodes,
  ...schedulerNodes,
  ...sigmaNodes,
  ...solverNodes,
  ...audioEditNodes,
  ...audioFileNodes,
  ...compressedAudioNodes,
  ...videoComponentNodes,
  ...videoFileNodes,
  ...hunyuanVideoNodes,
  ...hunyuanVideo15Nodes,
  ...cosmosNodes,
  ...ltxvNodes,
  ...ltxvGuideNodes,
  ...ltxvPreprocessNodes,
  ...wanNodes,
  ...wanGuideNodes,
  ...wanSpeechNodes,
  ...wanAnimateNodes,
  ...wanTrackNodes,
  ...wanCameraNodes,
  ...svgSaveNodes,
  ...hunyuan3dNodes,
  ...meshNodes,
  ...shapeViewNodes,
  ...lossGraphNodes,
  ...trainingNodes,
  ...loraModelNodes,
  ...datasetNodes,
  ...modelRuntimeNodes,
  textGenerate,
  ...languageNodes,
];
