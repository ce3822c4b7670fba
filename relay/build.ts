declare const __TABD_BUILD__: number;

/** Milliseconds since 1970 when this code was built; 0 when the sources run without a build. */
export const BUILD: number = typeof __TABD_BUILD__ === 'number' ? __TABD_BUILD__ : 0;
