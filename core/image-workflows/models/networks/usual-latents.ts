import type { LatentFormat } from '../../values/latent.ts';
import type { NetworkKind } from '../../values/network.ts';

/** The usual latents of each kind, for models without a VAE configuration. */
export const USUAL_LATENTS: Readonly<Record<NetworkKind, LatentFormat>> = {
  sd: { channels: 4, scaleFactor: 0.18215, shiftFactor: 0 },
  sdxl: { channels: 4, scaleFactor: 0.13025, shiftFactor: 0 },
  sd3: { channels: 16, scaleFactor: 1.5305, shiftFactor: 0.0609 },
  flux: { channels: 16, scaleFactor: 0.3611, shiftFactor: 0.1159 },
};
