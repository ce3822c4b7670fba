import type { ModelListEntry } from '../../api-client.ts';

/** The first installed model that speaks. */
export const speakingModel = (installed: readonly ModelListEntry[] | undefined): string | undefined =>
  installed?.find(({ capabilities = [] }) => capabilities.includes('speech'))?.name;
