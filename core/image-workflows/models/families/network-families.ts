import { aceStepFamily } from './ace-step/ace-step-family.ts';
import { aceStep15Family } from './ace-step/v15/ace-step-15-family.ts';
import { cosmosFamily } from './cosmos/cosmos-family.ts';
import { hidreamFamily } from './hidream/hidream-family.ts';
import { hunyuanDitFamily } from './hunyuan-dit/hunyuan-dit-family.ts';
import { hunyuanVideoFamily } from './hunyuan-video/hunyuan-video-family.ts';
import { hunyuan3dFamily } from './hunyuan3d/hunyuan3d-family.ts';
import { auraFlowFamily } from './joint-attention/auraflow-family.ts';
import { fluxFamily } from './joint-attention/flux-family.ts';
import { flux2Family } from './joint-attention/flux2-family.ts';
import { radianceFamily } from './joint-attention/radiance-family.ts';
import { sd3Family } from './joint-attention/sd3-family.ts';
import { ltxvFamily } from './ltxv/ltxv-family.ts';
import { lumina2Family } from './lumina2/lumina2-family.ts';
import { mochiFamily } from './mochi/mochi-family.ts';
import type { NetworkFamily } from './network-family.ts';
import { omnigen2Family } from './omnigen2/omnigen2-family.ts';
import { pixartFamily } from './pixart/pixart-family.ts';
import { qwenImageFamily } from './qwen-image/qwen-image-family.ts';
import { stableAudioFamily } from './stable-audio/audio-family.ts';
import { cascadeFamily } from './stable-cascade/cascade-family.ts';
import { unetFamily } from './unet/unet-family.ts';
import { wanFamily } from './wan/wan-family.ts';

/** The families of networks. A network belongs to the first that recognizes it. */
export const NETWORK_FAMILIES: readonly NetworkFamily[] = [
  sd3Family,
  auraFlowFamily,
  hunyuanDitFamily,
  hunyuanVideoFamily,
  hunyuan3dFamily,
  flux2Family,
  radianceFamily,
  fluxFamily,
  aceStepFamily,
  aceStep15Family,
  pixartFamily,
  lumina2Family,
  ltxvFamily,
  wanFamily,
  qwenImageFamily,
  cascadeFamily,
  stableAudioFamily,
  hidreamFamily,
  cosmosFamily,
  omnigen2Family,
  mochiFamily,
  unetFamily,
];
