/** The model that the app offers when no image model is installed. */
export interface BundledModel {
  model: string;
  /** Size of the download. */
  bytes: number;
  licence: string;
}

const MODEL = 'emoji-128';

/** The model whose weights the app's host serves. Undefined when the host does not serve them. */
export async function findBundledModel(
  page: string = document.baseURI,
  ask: typeof fetch = fetch,
): Promise<BundledModel | undefined> {
  try {
    const response = await ask(new URL(`weights/${MODEL}/files.json`, page));
    if (!response.ok) return undefined;
    const files = (await response.json()) as { size: number }[];
    return { model: MODEL, bytes: files.reduce((sum, { size }) => sum + size, 0), licence: 'MIT' };
  } catch {
    return undefined;
  }
}
