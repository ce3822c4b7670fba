/**
 * Imports a module of this origin by its URL, such as `/my-nodes.js`. The module runs with tabd's rights.
 * @throws for a URL of another origin
 */
export async function importFromOrigin(address: string): Promise<Record<string, unknown>> {
  const url = new URL(address, self.location.origin);
  if (url.origin !== self.location.origin)
    throw new Error(`it lies at ${url.origin}: put it on the site itself`);
  return import(/* @vite-ignore */ /* webpackIgnore: true */ url.href);
}
