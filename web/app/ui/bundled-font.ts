import fontUrl from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';

/** Milliseconds. A font that comes later would move the texts that are already shown. */
const TIMEOUT = 300;

/**
 * Uses the font of the app, Inter (OFL-1.1), if this browser has stored it. The service worker stores it after the first
 * visit, which shows the font of the system. So the font makes no visit slower, and no text moves. Call this before the
 * first text is shown.
 */
export async function useBundledFont(): Promise<void> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, TIMEOUT));
  const font = await Promise.race([storedFont(), late]);
  if (font) document.fonts.add(font);
}

async function storedFont(): Promise<FontFace | undefined> {
  try {
    const stored = await caches.match(new URL(fontUrl, document.baseURI).href);
    if (!stored) return undefined;
    return await new FontFace('Inter', await stored.arrayBuffer(), { weight: '100 900' }).load();
  } catch {
    // Private windows may have no caches. The font of the system does as well.
    return undefined;
  }
}
