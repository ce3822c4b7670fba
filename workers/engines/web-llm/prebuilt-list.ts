import type { PrebuiltModel } from '#core/host';
import { describeList } from './describe-list.ts';

/**
 * The models that web-llm has libraries for, read from its package. Builds put the list here in place of this module
 * (vite.config.ts), because the package is 7 MB long.
 */
export async function prebuiltList(): Promise<PrebuiltModel[]> {
  const { prebuiltAppConfig } = await import('@mlc-ai/web-llm');
  return describeList(prebuiltAppConfig.model_list);
}
