import type { PrebuiltModel } from '#core/host';
import { toPrebuiltModels } from './describe-list.ts';

/**
 * The models for which web-llm has libraries, from its package. The build replaces this module by the list alone
 * (vite.config.ts), because the package has 7 MB.
 */
export async function prebuiltList(): Promise<PrebuiltModel[]> {
  const { prebuiltAppConfig } = await import('@mlc-ai/web-llm');
  return toPrebuiltModels(prebuiltAppConfig.model_list);
}
