/** The kinds of models whose text encoders loader nodes offer, in the order of their lists. */

/** For encoders that are loaded alone. */
export const SINGLE_ENCODER_TYPES = [
  'stable_diffusion',
  'stable_cascade',
  'sd3',
  'stable_audio',
  'mochi',
  'ltxv',
  'pixart',
  'cosmos',
  'lumina2',
  'wan',
  'hidream',
  'chroma',
  'ace',
  'omnigen2',
  'qwen_image',
  'hunyuan_image',
  'flux2',
  'ovis',
  'longcat_image',
] as const;

/** For pairs of encoders. */
export const DUAL_ENCODER_TYPES = [
  'sdxl',
  'sd3',
  'flux',
  'hunyuan_video',
  'hidream',
  'hunyuan_image',
  'hunyuan_video_15',
  'ace',
] as const;
