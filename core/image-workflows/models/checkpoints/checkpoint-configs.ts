/**
 * The configuration files of CheckpointLoader, with which old checkpoints were loaded. They decide the prediction type
 * and the layer of the text encoder. Everything else follows from the model itself.
 */
export interface CheckpointConfig {
  prediction?: 'v_prediction';
  /** The layer of CLIP whose output is used. -1 is the last layer. */
  clipLayer?: number;
}

const CONFIGS = {
  'anything_v3.yaml': { clipLayer: -2 },
  'v1-inference.yaml': {},
  'v1-inference_clip_skip_2.yaml': { clipLayer: -2 },
  'v1-inference_clip_skip_2_fp16.yaml': { clipLayer: -2 },
  'v1-inference_fp16.yaml': {},
  'v1-inpainting-inference.yaml': {},
  'v2-inference-v.yaml': { prediction: 'v_prediction' },
  'v2-inference-v_fp32.yaml': { prediction: 'v_prediction' },
  'v2-inference.yaml': {},
  'v2-inference_fp32.yaml': {},
  'v2-inpainting-inference.yaml': {},
} as const satisfies Record<string, CheckpointConfig>;

export type ConfigName = keyof typeof CONFIGS;

export const CONFIG_NAMES = Object.keys(CONFIGS) as ConfigName[];

export const checkpointConfig = (name: ConfigName): CheckpointConfig => CONFIGS[name];
