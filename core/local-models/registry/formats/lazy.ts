/** Readers of the metadata of rarer formats than GGUF, by format: loaded with the first such model. */
import { imageWeightsMetadata } from './image-weights-metadata.ts';
import { mlcMetadata } from './mlc/mlc-metadata.ts';
import { diffusersMetadata } from './onnx/diffusers-metadata.ts';
import { onnxMetadata } from './onnx/onnx-metadata.ts';

export const METADATA_READERS = {
  onnx: onnxMetadata,
  mlc: mlcMetadata,
  diffusers: diffusersMetadata,
  safetensors: imageWeightsMetadata,
};
