import type { WorkflowFiles } from '../../files/workflow-files.ts';
import { controlNetNames } from '../control/control-net.ts';
import { gligenModelNames } from '../networks/gligen-model.ts';
import { upscaleModelNames } from '../upscaling/upscale-model.ts';
import { clipVisionNames } from '../vision/clip-vision.ts';
import { styleModelNames } from '../vision/style-model.ts';
import { checkpointNames, diffusersNames } from './load-checkpoint.ts';
import { encoderNames } from './load-encoders.ts';
import { networkNames, storedVaeNames } from './standalone-parts.ts';

const NAMES: Record<string, (files: WorkflowFiles) => Promise<readonly string[]>> = {
  checkpoints: checkpointNames,
  diffusers: diffusersNames,
  diffusion_models: networkNames,
  text_encoders: encoderNames,
  vae: storedVaeNames,
  controlnet: controlNetNames,
  clip_vision: clipVisionNames,
  style_models: styleModelNames,
  gligen: gligenModelNames,
  upscale_models: upscaleModelNames,
};

/** The models in a folder, by the names that its loader nodes take. Folders without such nodes list all model files. */
export const listedModels = (files: WorkflowFiles, folder: string): Promise<readonly string[]> =>
  NAMES[folder]?.(files) ?? files.models(folder);
