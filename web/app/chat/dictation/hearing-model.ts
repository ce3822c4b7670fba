import type { ModelListEntry } from '../../api-client.ts';

/** The first installed model that writes speech down. */
export const hearingModel = (installed: readonly ModelListEntry[] | undefined): string | undefined =>
  installed?.find(
    ({ capabilities = [] }) => capabilities.includes('audio') && !capabilities.includes('completion'),
  )?.name;
