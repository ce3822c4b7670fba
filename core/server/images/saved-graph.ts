import { type ApiCaller, type ImageGraph, readImageGraph } from '#core/api-client';

/**
 * A graph below `workflows` of the user data. Undefined: there is none, or it is not in API format.
 * @param file its path there: `portraits/red.json`
 */
export async function readSavedGraph(
  { localApis, signal }: Pick<ApiCaller, 'localApis' | 'signal'>,
  file: string,
): Promise<ImageGraph | undefined> {
  const response = await localApis.fetch(`/userdata/${encodeURIComponent(`workflows/${file}`)}`, { signal });
  if (!response.ok) return undefined;
  try {
    return readImageGraph(await response.text());
  } catch {
    return undefined;
  }
}
