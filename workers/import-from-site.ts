/** A module of this origin by its address, such as `/my-nodes.js`. Throws for other origins: what it does, it does with tabd's rights. */
export async function importFromSite(address: string): Promise<Record<string, unknown>> {
  const url = new URL(address, self.location.origin);
  if (url.origin !== self.location.origin)
    throw new Error(`it lies at ${url.origin}: put it on the site itself`);
  return import(/* @vite-ignore */ /* webpackIgnore: true */ url.href);
}
