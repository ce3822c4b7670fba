import type { Sampler } from '../../values/sampler.ts';
import { ddpm, lcm } from './ddpm-and-lcm.ts';
import { dpmAdaptive, dpmFast } from './dpm-solver.ts';
import {
  dpmpp2m,
  dpmpp2mGuided,
  dpmpp2sAncestral,
  dpmpp2sAncestralGuided,
  gradientEstimation,
} from './dpmpp.ts';
import { dpmpp2mSde, dpmpp3mSde, dpmppSde } from './dpmpp-sde.ts';
import { erSde } from './er-sde.ts';
import { euler, eulerAncestral, eulerAncestralGuided } from './euler.ts';
import { dpm2, heun, heunPlusPlus } from './heun.ts';
import { deis, ipndm, ipndmVariable, linearMultistep } from './multistep.ts';
import { resMultistep } from './res-multistep.ts';
import { saSolver } from './sa-solver.ts';
import { seeds2, seeds3 } from './seeds-solver.ts';
import { uniPc } from './uni-pc.ts';

export interface SamplerEntry {
  readonly make: () => Sampler;
  /** The schedule is computed for one more step, and its last level but one is dropped, as in ComfyUI. */
  readonly dropsPenultimate?: true;
  /** Under a noise mask, the area outside of it gets noise of its own. */
  readonly ownMaskNoise?: true;
}

/**
 * The samplers by their names in the API, in its order. The `_gpu` variants draw the same noise as the others, as the
 * CPU variants in ComfyUI do.
 */
export const SAMPLERS: Readonly<Record<string, SamplerEntry>> = {
  euler: { make: euler },
  euler_cfg_pp: { make: () => eulerAncestralGuided({ eta: 0 }) },
  euler_ancestral: { make: eulerAncestral },
  euler_ancestral_cfg_pp: { make: eulerAncestralGuided },
  heun: { make: heun },
  heunpp2: { make: heunPlusPlus },
  dpm_2: { make: dpm2, dropsPenultimate: true },
  dpm_2_ancestral: { make: () => dpm2({ eta: 1 }), dropsPenultimate: true },
  lms: { make: linearMultistep },
  dpm_fast: { make: dpmFast },
  dpm_adaptive: { make: dpmAdaptive },
  dpmpp_2s_ancestral: { make: dpmpp2sAncestral },
  dpmpp_2s_ancestral_cfg_pp: { make: dpmpp2sAncestralGuided },
  dpmpp_sde: { make: dpmppSde },
  dpmpp_sde_gpu: { make: dpmppSde },
  dpmpp_2m: { make: dpmpp2m },
  dpmpp_2m_cfg_pp: { make: dpmpp2mGuided },
  dpmpp_2m_sde: { make: dpmpp2mSde },
  dpmpp_2m_sde_gpu: { make: dpmpp2mSde },
  dpmpp_2m_sde_heun: { make: () => dpmpp2mSde({ solver: 'heun' }) },
  dpmpp_2m_sde_heun_gpu: { make: () => dpmpp2mSde({ solver: 'heun' }) },
  dpmpp_3m_sde: { make: dpmpp3mSde },
  dpmpp_3m_sde_gpu: { make: dpmpp3mSde },
  ddpm: { make: ddpm },
  lcm: { make: lcm },
  ipndm: { make: ipndm },
  ipndm_v: { make: ipndmVariable },
  deis: { make: deis },
  res_multistep: { make: resMultistep },
  res_multistep_cfg_pp: { make: () => resMultistep({ guided: true }) },
  res_multistep_ancestral: { make: () => resMultistep({ eta: 1 }) },
  res_multistep_ancestral_cfg_pp: { make: () => resMultistep({ eta: 1, guided: true }) },
  gradient_estimation: { make: gradientEstimation },
  gradient_estimation_cfg_pp: { make: () => gradientEstimation({ guided: true }) },
  er_sde: { make: erSde },
  seeds_2: { make: seeds2 },
  seeds_3: { make: seeds3 },
  sa_solver: { make: saSolver },
  sa_solver_pece: { make: () => saSolver({ evaluateCorrected: true }) },
  ddim: { make: euler, ownMaskNoise: true },
  uni_pc: { make: () => uniPc(), dropsPenultimate: true },
  uni_pc_bh2: { make: () => uniPc({ bh2: true }), dropsPenultimate: true },
};
